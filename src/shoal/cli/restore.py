"""``shoal restore``: a backup becomes the objects of an empty home."""

from pathlib import Path
from typing import Final

import click

_MADE_BY_A_START: Final = frozenset({"lock", "log", "sock"})
"""What a start of the box leaves that came to nothing."""


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Make the objects in a backup those of an empty home.

    Token, certificates and kubeconfig are made anew by the next "shoal up". Versions go on far
    beyond the backup's, so that a watch from before begins anew.

    Nodes are not brought back, with cordons and labels of theirs: the box that starts adds its
    own. What ran on them is told as lost: its pods fail at once, and so does a run without
    --retry; one with it is placed again, and fails there if its code was a snapshot, since a
    backup holds none. A program that still runs under the old home is not ended.

    \b
    SHOAL_HOME=~/.shoal-again shoal restore monday.shoal
    """
    from shoal.apiserver.storecopy import restore, survey_backup
    from shoal.apiserver.storefile import StoreError
    from shoal.cli.box.errors import BoxError
    from shoal.cli.box.home import make_home, take_lock
    from shoal.kube.config import home_path

    home = home_path()
    _check_empty(home)
    try:
        survey_backup(file)
        make_home(home)
        take_lock(home)
        held = restore(file, home / "store.db")
    except StoreError as error:
        raise BoxError(str(error)) from error
    except FileNotFoundError as error:
        raise BoxError(f"there is no {file}; name a file that shoal backup made") from error
    print(f"{held.objects} objects restored into {home}. Start the box: shoal up")


def _check_empty(home: Path) -> None:
    from shoal.cli.box.errors import BoxError

    found = {path.name for path in home.iterdir()} if home.is_dir() else set[str]()
    if left := sorted(found - _MADE_BY_A_START):
        raise BoxError(
            f"{home} is not empty (it holds {left[0]}); move it away, "
            "or set SHOAL_HOME to an empty folder"
        )
