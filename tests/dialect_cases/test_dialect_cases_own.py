"""What is promised of our own kinds, in the form in which a real server's answers are kept.

The cases run against any server that has our definitions (``shoal-kinds``). Those that need
``shoal-server`` hold rules which a definition cannot say.
"""

from pathlib import Path

from tests.recorded import each, needs_recorded, records

CASES = records(Path(__file__).parent / "own")


@needs_recorded
@each(CASES)
def test_our_kinds_keep_what_is_promised(replay, record):
    assert replay.difference(record) is None
