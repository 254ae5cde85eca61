"""``shoal apiserver``: the embedded API server of a home."""

import click

from shoal.cli.box.ports import DEFAULT_PORT


@click.command(hidden=True)
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True)
@click.option(
    "--history-seconds",
    type=click.FloatRange(min=1),
    default=600,
    show_default=True,
    help="How long a watch or a list may look back, within what is kept of the history at all.",
)
@click.option("--go-fd", type=int, hidden=True)
def command(port: int, history_seconds: float, go_fd: int | None) -> None:
    """Serve the objects of the home on 127.0.0.1."""
    import uvloop

    from shoal.apiserver.history import Bounds
    from shoal.apiserver.main import StartError, serve
    from shoal.apiserver.storefile import StoreError
    from shoal.cli.box.child import run_child
    from shoal.kube.config import home_path

    bounds = Bounds(seconds=history_seconds)
    run_child(
        lambda ready: serve(home_path(), port, bounds, ready=lambda got: ready(str(got))),
        go_fd,
        fatal=(StartError, StoreError),
        run=uvloop.run,
    )
