"""Whoever follows the page of the house finds the rooms and files that it names."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text()


def test_the_files_to_start_reading_at_are_there():
    rooms = re.findall(r"^\| `(\w+)` \| .* \| (`.*`) \|$", PAGE, re.MULTILINE)
    assert len(rooms) >= 10
    named = [f"{room}/{file}" for room, files in rooms for file in re.findall(r"`(.*?)`", files)]
    assert [name for name in named if not (ROOT / "src/shoal" / name).exists()] == []


def test_the_paths_in_its_sentences_are_there():
    prose = re.sub(r"^\|.*", "", PAGE, flags=re.MULTILINE)
    named = re.findall(r"`((?:\w+/)+\w*(?:\.py)?)`", prose)
    roots = (ROOT, ROOT / "src/shoal")
    assert len(named) >= 10
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []
