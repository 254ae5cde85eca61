"""``shoal agent``: the agent of this machine."""

import click

from shoal.cli.options import option


@click.command(hidden=True)
@option("--gpus", default="", help="Simulated cards; real ones are found by themselves.")
@option("--node-name", default="", help="Name of this node.  [default: the host's name]")
@click.option("--go-fd", type=int, hidden=True)
def command(gpus: str, node_name: str, go_fd: int | None) -> None:
    """Run pods that are bound to this machine."""
    from shoal.agent.errors import AgentError
    from shoal.agent.main import run_agent
    from shoal.cli.box.child import run_child
    from shoal.kube.config import home_path
    from shoal.units.errors import UnitError
    from shoal.units.onlyone import NotAloneError

    run_child(
        lambda ready: run_agent(home_path(), node_name, gpus, ready=ready),
        go_fd,
        fatal=(AgentError, NotAloneError, UnitError),
    )
