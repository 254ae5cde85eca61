"""GPU amounts: one grammar, read and written alike, and sentences that help."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.units.errors import UnitError
from shoal.units.gpu import WHOLE, Share, format_share, parse_share, say_milli

models = st.lists(
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True), max_size=3, unique=True
).map(tuple)
counts = st.integers(1, 100_000)
shares = st.one_of(
    st.builds(Share, count=counts, milli=st.integers(1, WHOLE), models=models),
    st.builds(
        Share,
        count=counts,
        milli=st.integers(0, WHOLE),
        memory_mib=st.integers(1, 10_000_000),
        models=models,
    ),
)


@given(shares)
def test_what_is_written_is_read_back_the_same(share: Share) -> None:
    assert parse_share(format_share(share)) == share


@given(st.integers(1, 1000), st.integers(1, 200_000))
def test_n_times_one_nth_always_fits_a_card(parts: int, card_mib: int) -> None:
    share = parse_share(f"1/{parts}")
    assert share.milli * parts <= WHOLE
    assert share.memory_on(card_mib) * parts <= card_mib


@given(st.integers(0, 999), st.integers(1, 999), st.integers(1, 200_000))
def test_a_larger_part_never_gets_less_memory(less: int, more: int, card_mib: int) -> None:
    less, more = min(less, more), max(less, more)
    assert Share(milli=less).memory_on(card_mib) <= Share(milli=more).memory_on(card_mib)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("2", Share(count=2, milli=1000)),
        ("2.0", Share(count=2, milli=1000)),
        ("1/1", Share(milli=1000)),
        ("0.5", Share(milli=500)),
        (".5", Share(milli=500)),
        ("1/2", Share(milli=500)),
        ("1/3", Share(milli=333)),
        ("10Gi", Share(memory_mib=10 * 1024)),
        ("10G", Share(memory_mib=9536)),
        ("10Gi@30%", Share(memory_mib=10 * 1024, milli=300)),
        ("10Gi@33.5%", Share(memory_mib=10 * 1024, milli=335)),
        ("4x0.5", Share(count=4, milli=500)),
        ("3x10Gi@30%", Share(count=3, memory_mib=10 * 1024, milli=300)),
        ("A100,H100:2", Share(count=2, milli=1000, models=("A100", "H100"))),
        ("A100|H100:2", Share(count=2, milli=1000, models=("A100", "H100"))),
        (" A100:1/4 ", Share(milli=250, models=("A100",))),
    ],
)
def test_amounts_that_people_write(text: str, share: Share) -> None:
    assert parse_share(text) == share


WRONG = [
    "",
    "x",
    "0",
    "-1",
    "1.5",
    "3/2",
    "1/0",
    "2x1.5",
    "2x2",
    "0x1/2",
    "x1/2",
    "2x",
    "1000000",
    "999999.5",
    "0.0001",
    "10Gi@",
    "10Gi@0%",
    "10Gi@101%",
    "10Gi@30",
    "10Gi@x%",
    "@30%",
    "1Ki",
    "1..2Gi",
    "1..2Gi@30%",
    "10GB",
    "10Gi@30.55%",
    ":1",
    "A100:",
    "A 100:1",
    "A100,,H100:1",
    "٣",
    "1/٣",
    "half",
    "1e1",
    "9" * 300,
]


@pytest.mark.parametrize("text", WRONG)
def test_wrong_text_is_answered_with_examples_that_are_right(text: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_share(text)
    sentence = str(caught.value)
    assert "\n" not in sentence
    named = examples(sentence)
    assert named, sentence
    for example in named:
        parse_share(example)


@pytest.mark.parametrize("models", ["H100", "A100-80GB", "rtx4090", "A100,H100", "L40S|T4"])
def test_models_alone_are_asked_for_an_amount(models: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_share(models)
    assert str(caught.value).endswith(f" without an amount; did you mean {models}:1?")
    assert parse_share(f"{models}:1").milli == WHOLE


def examples(sentence: str) -> list[str]:
    """The amounts that a sentence offers: what follows its last colon, without explanations."""
    offered = re.search(r"(?:examples?|cards): (?!a part)(.*)\Z", sentence)
    if offered is None:
        return []
    plain = re.sub(r"\([^)]*\)", "", offered[1]).rstrip(".")
    return [part.strip() for part in re.split(r", (?=\S)| or ", plain)]


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused_in_one_sentence(text: str) -> None:
    try:
        share = parse_share(text)
    except UnitError as error:
        assert str(error)
    else:
        assert share.count >= 1
        assert share.milli or share.memory_mib
        assert parse_share(format_share(share)) == share


@given(st.integers(1, WHOLE))
def test_compute_is_said_as_people_ask_for_it(milli: int) -> None:
    assert parse_share(say_milli(milli)).milli == milli


def test_a_model_allows_its_variants_and_no_others() -> None:
    assert Share(models=("A100",)).allows("A100-80GB")
    assert Share(models=("a100",)).allows("A100 80GB")
    assert Share(models=("A100-80GB",)).allows("A100-80GB")
    assert not Share(models=("A100-80GB",)).allows("A100-40GB")
    assert not Share(models=("A10",)).allows("A100-80GB")
    assert Share().allows("anything")
