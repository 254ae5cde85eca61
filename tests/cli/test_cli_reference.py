"""The page of commands is what the commands say."""

from pathlib import Path

from shoal.cli.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == reference(), "renew it: python -m shoal.cli.reference > docs/cli.md"
