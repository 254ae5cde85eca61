"""``shoal doctor``: is this machine fit, and what to do where it is not."""

import sys

import click


@click.command()
def command() -> None:
    """Check Python, compiler, disk, store, port, cards, cgroups and clock; say what to do.

    The exit code is 1 where something is bad, so that scripts can ask.
    """
    from shoal.cli.box.checks import Level, look
    from shoal.kube.config import home_path

    findings = look(home_path())
    for finding in findings:
        mark = {Level.OK: "✔", Level.NOTE: "·", Level.BAD: "✘"}[finding.level]
        print(f"{mark} {finding.about:<9} {finding.fact}")
        if finding.remedy:
            print(f"            → {finding.remedy}")
    sys.exit(any(finding.level is Level.BAD for finding in findings))
