"""``shoal rerun``: the same again under a new name."""

import re
from typing import TYPE_CHECKING, Final

import click

from shoal.cli.options import detach_option, namespace_option

if TYPE_CHECKING:
    from shoal.api.run import Run
    from shoal.cli.context import Here

_NUMBERED: Final = re.compile(r"(.*)-([2-9]|[1-9]\d{1,5})\Z")
_MOST: Final = 100_000


@click.command()
@click.argument("name")
@detach_option
@namespace_option
def command(name: str, detach: bool, namespace: str) -> int:
    """Run again what ran before.

    The new run has the code, the options and the environment of the old one. It is called after
    it: digits-2, digits-3 and so on.
    """
    from shoal.cli.context import Here

    here = Here(namespace)
    run = _create(here, here.run(name))
    if detach:
        print(run.metadata.name)
        return 0
    from shoal.cli.attached import watch_run
    from shoal.cli.submit import Submitted, headline

    return watch_run(here, run, headline(Submitted(run, None)))


def _create(here: "Here", before: "Run") -> "Run":
    import msgspec

    from shoal.api.kinds import RUNS
    from shoal.api.meta import API_VERSION
    from shoal.kube.errors import ApiError

    spec = msgspec.to_builtins(msgspec.structs.replace(before.spec, stop=False))
    names = {run.metadata.name for run in here.client.list(RUNS, here.namespace).items}
    for name in _names_after(before.metadata.name):
        if name in names:
            continue
        metadata = {"name": name, "labels": before.metadata.labels}
        document = {"apiVersion": API_VERSION, "kind": "Run", "metadata": metadata, "spec": spec}
        try:
            return here.client.create(RUNS, document, here.namespace)
        except ApiError as error:
            if not error.already_exists:
                raise
    raise AssertionError("more names are taken than there are runs")


def _names_after(name: str) -> list[str]:
    numbered = _NUMBERED.match(name)
    base, number = (numbered[1], int(numbered[2])) if numbered else (name, 1)
    return [f"{base}-{n}" for n in range(number + 1, number + 1 + _MOST)]
