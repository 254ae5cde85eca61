"""``shoal delete``: any objects."""

import click

from shoal.cli.options import namespace_option


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="KIND NAME... | KIND/NAME...")
@namespace_option
def command(what: tuple[str, ...], namespace: str) -> None:
    """Delete objects.

    Deleting a run ends it and removes all it made, its outputs included.

    \b
    shoal delete run digits
    shoal delete run/digits pod/other
    """
    from shoal.cli.context import Here
    from shoal.cli.errors import BadInput
    from shoal.cli.objects import full_name, scope, split_references

    references = split_references(what)
    if not what[1:] and not references[0][1]:
        word = references[0][0].name.lower()
        raise BadInput(f"which {word}? example: shoal delete {word} NAME")
    here = Here(namespace)
    for kind, name in references:
        with here.expected(kind, name):
            here.client.delete(kind, name, scope(here, kind))
        print(f"{full_name(kind, name)} deleted")
