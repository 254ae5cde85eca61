"""What a real server was asked and answered, asked of this one."""

from pathlib import Path

from tests.recorded import each, left_out, needs_recorded, recorded

MOST_LEFT_OUT = 25
CASES = recorded("cases")
LEFT_OUT = left_out(Path(__file__).parent)


@each([case for case in CASES if case["name"] not in LEFT_OUT])
def test_the_answers_are_those_of_a_real_server(replay, record):
    assert replay.difference(record) is None


@each([case for case in CASES if case["name"] in LEFT_OUT])
def test_what_is_left_out_does_differ(replay, record):
    assert replay.difference(record) is not None, "it passes: take it off the list"


@needs_recorded
def test_the_list_of_what_is_left_out_does_not_grow():
    assert len(LEFT_OUT) <= MOST_LEFT_OUT
    assert LEFT_OUT.keys() <= {case["name"] for case in CASES}
