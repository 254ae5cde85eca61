"""What both clients read off the wire."""

import pytest

from shoal.api.kinds import RUNS
from shoal.kube.errors import ApiError
from shoal.kube.wire import decode_event, warning_text


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ('299 - "spec.shm has no effect"', "spec.shm has no effect"),
        (r'299 - "a \"quoted\" word and a \\"', 'a "quoted" word and a \\'),
    ],
)
def test_a_warning_is_read_as_it_was_written(header: str, text: str) -> None:
    assert warning_text(header) == text


def test_a_bookmark_needs_nothing_but_its_version() -> None:
    line = b'{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "7"}}}'
    assert decode_event(RUNS, line).object.metadata.resource_version == "7"


def test_an_error_event_is_the_error_that_it_carries() -> None:
    line = b'{"type": "ERROR", "object": {"code": 410, "reason": "Expired", "message": "old"}}'
    with pytest.raises(ApiError) as refusal:
        decode_event(RUNS, line)
    assert refusal.value.gone
