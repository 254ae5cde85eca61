"""``shoal get``: any objects, as kubectl lists them."""

from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import namespace_option, option, output_option

if TYPE_CHECKING:
    from shoal.api.kinds import Kind
    from shoal.cli.context import Here
    from shoal.cli.output import Format

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="KIND [NAME...]")
@option("-l", "--selector", default="", metavar="LABELS", help="Only with these labels.")
@output_option
@namespace_option
def command(what: tuple[str, ...], selector: str, output: str, namespace: str) -> None:
    """List objects of a kind.

    \b
    shoal get runs
    shoal get pods -l shoal.dev/run=digits -o yaml
    shoal get run/digits -o json
    """
    from shoal.cli.context import Here
    from shoal.cli.objects import split_references
    from shoal.cli.output import Format

    here, form = Here(namespace), Format(output)
    asked = split_references(what)
    if form in (Format.TABLE, Format.WIDE):
        _write_tables(here, asked, selector, wide=form is Format.WIDE)
        return
    _write_objects(here, asked, selector, form)


def _write_objects(
    here: "Here", asked: "list[tuple[Kind[Any], str]]", selector: str, form: "Format"
) -> None:
    from shoal.cli.objects import full_name, read_items, read_object
    from shoal.cli.output import Format, write_document, write_names, write_objects

    found = [
        (kind, item)
        for kind, name in asked
        for item in ([read_object(here, kind, name)] if name else read_items(here, kind, selector))
    ]
    if form is Format.NAME:
        write_names(full_name(kind, item["metadata"]["name"]) for kind, item in found)
    elif len(asked) == 1 and asked[0][1]:
        write_document(found[0][1], form)
    else:
        write_objects([item for _, item in found], form)


def _write_tables(
    here: "Here", asked: "list[tuple[Kind[Any], str]]", selector: str, *, wide: bool
) -> None:
    """Tables as the server prints them, one for each kind."""
    kinds = dict.fromkeys(kind for kind, _ in asked)
    for position, kind in enumerate(kinds):
        if position:
            print()
        names = [name for of, name in asked if of is kind]
        tables = [_read_table(here, kind, name, selector) for name in names]
        _write_table(tables, kind, here, wide=wide, several=len(kinds) > 1)


def _read_table(here: "Here", kind: "Kind[Any]", name: str, selector: str) -> dict[str, Any]:
    from contextlib import nullcontext

    import msgspec

    from shoal.cli.objects import scope

    query = {"labelSelector": selector} if selector and not name else None
    path = kind.path(scope(here, kind), name)
    with here.expected(kind, name) if name else nullcontext():
        body = here.client.request("GET", path, query=query, headers={"Accept": TABLE})
    return dict(msgspec.json.decode(body, type=dict[str, Any]))


def _write_table(
    tables: list[dict[str, Any]], kind: "Kind[Any]", here: "Here", *, wide: bool, several: bool
) -> None:
    """The tables of one kind as one; among several kinds each name says its kind."""
    import sys

    from shoal.api.kinds import PODS
    from shoal.cli.objects import full_name
    from shoal.cli.output import write_table

    defined = tables[0]["columnDefinitions"]
    kept = [i for i, column in enumerate(defined) if wide or not column.get("priority")]
    columns = [defined[i]["name"].upper() for i in kept]
    found = [row for table in tables for row in table.get("rows") or []]
    rows = [[str(row["cells"][i]) for i in kept] for row in found]
    if not rows:
        where = f" in namespace {here.namespace}" if kind.namespaced else ""
        print(f"no {kind.plural}{where}", file=sys.stderr)
        return
    if kind is PODS:
        from shoal.cli.pods import say_waits

        columns.append("WAITS FOR")
        waits = say_waits(here)
        rows = [[*row, waits.get(row[0], "")] for row in rows]
    if several:
        rows = [[full_name(kind, name), *rest] for name, *rest in rows]
    write_table(columns, rows)
