"""What a stock kubectl sends and prints, command by command, as against a real server."""

from pathlib import Path

from tests.kubectl.comparing import differing_requests, same_text
from tests.kubectl.world import AFTER, ANY_ORDER, NEEDS, OTHER_OUTPUT, OTHER_WORDS, READING
from tests.recorded import each, left_out, needs_recorded, recorded

MOST_LEFT_OUT = 18
LEFT_OUT = left_out(Path(__file__).parent)
RECORDS = {record["name"]: record for record in recorded("kubectl")}


@each([one for name, one in RECORDS.items() if name not in LEFT_OUT])
def test_a_command_goes_as_against_a_real_server(request, record):
    place = request.getfixturevalue("world" if record["name"] in READING else "place")
    before = [*AFTER.get(record["name"], []), record["name"]]
    needs = [name for one in before for name in NEEDS.get(one, [])]
    place.fill(needs)
    place.ready(needs)
    for one in before[:-1]:
        assert place.run(RECORDS[one]).exit == 0

    told = place.run(record)

    assert told.exit == record["exit"], told.stderr
    if record["name"] not in OTHER_OUTPUT:
        wanted, printed = place.expand(record["stdout"]), told.stdout
        if record["name"] in ANY_ORDER:
            wanted, printed = in_order(wanted), in_order(printed)
        assert same_text(wanted, printed), told.stdout
    told_wrong, wrong = place.expand(record["stderr"]), told.stderr
    if record["name"] in OTHER_WORDS:
        told_wrong, wrong = told_wrong.partition(": ")[0], wrong.partition(": ")[0]
    assert same_text(told_wrong, wrong), told.stderr
    assert differing_requests(place.requests(record), told.requests) is None


def in_order(text: str) -> str:
    return "\n".join(sorted(text.splitlines()))


@needs_recorded
def test_the_list_of_what_is_left_out_does_not_grow():
    assert len(LEFT_OUT) <= MOST_LEFT_OUT
    assert LEFT_OUT.keys() <= RECORDS.keys()
    assert OTHER_OUTPUT.keys() <= RECORDS.keys() - LEFT_OUT.keys()
