"""``shoal backup``: all objects in one file."""

from pathlib import Path

import click


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Copy all objects into a file, also while the box runs.

    FILE is as of one moment. It is checked after it is written, only you can read it, and a
    file that is there already is never replaced. It holds the Secrets among the objects, but
    neither token, certificates and kubeconfig of this home nor code, logs and outputs of runs.

    \b
    shoal backup monday.shoal
    """
    from shoal.apiserver.storecopy import copy
    from shoal.apiserver.storefile import StoreError
    from shoal.cli.box.errors import BoxError
    from shoal.cli.say import say_bytes
    from shoal.kube.config import home_path

    store = home_path() / "store.db"
    if not store.exists():
        raise BoxError(f"{home_path()} holds no objects yet. Start a box: shoal up")
    try:
        held = copy(store, file.absolute())
    except StoreError as error:
        raise BoxError(str(error)) from error
    size = say_bytes(file.stat().st_size)
    print(f"{held.objects} objects at version {held.revision} in {file} ({size})")
    print(f"to bring them back: SHOAL_HOME=AN-EMPTY-FOLDER shoal restore {file}")
