"""``python -m shoal.apiserver --home DIR --port 0``: the server alone."""

import argparse
import sys
from pathlib import Path

from shoal.apiserver.log import StoreError
from shoal.apiserver.logs import log_to_stderr
from shoal.apiserver.main import StartError, run


def main() -> int:
    """Serve until stopped; 1 and one sentence where that is not possible."""
    parser = argparse.ArgumentParser(prog="shoal apiserver")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    log_to_stderr()
    try:
        run(options.home, options.port, ready=_tell)
    except (StartError, StoreError) as error:
        print(f"shoal: {error}", file=sys.stderr)
        return 1
    return 0


def _tell(port: int) -> None:
    print(f"ready at https://127.0.0.1:{port}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
