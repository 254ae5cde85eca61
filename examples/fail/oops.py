"""A training program that fails as real ones do: its data folder holds no images.

It prints the traceback and ends with exit code 7, its word for unusable data.
"""

import sys
import traceback
from pathlib import Path

BAD_DATA = 7


def load(folder: Path) -> list[bytes]:
    """Read a batch. Raises ValueError when the folder holds no images."""
    batch = [path.read_bytes() for path in sorted(folder.glob("*.png"))]
    if not batch:
        raise ValueError(f"batch of 0 images in {folder}")
    return batch


def main() -> int:
    """Load the batch that training would begin with."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/data/train")
    print(f"loading {folder}", flush=True)
    try:
        batch = load(folder)
    except ValueError:
        traceback.print_exc()
        return BAD_DATA
    print(f"{len(batch)} images")
    return 0


if __name__ == "__main__":
    sys.exit(main())
