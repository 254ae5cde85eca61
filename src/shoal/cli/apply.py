"""``shoal apply``: objects from a file, created or changed."""

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from shoal.cli.options import namespace_option, option

if TYPE_CHECKING:
    import yaml

    from shoal.api.kinds import Kind
    from shoal.cli.context import Here
    from shoal.cli.prepare import Prepared

_EXAMPLE: Final = "example: kind: Run, metadata: {name: resnet}, spec: {run: python train.py}"


@click.command()
@option("-f", "--file", "file", required=True, metavar="FILE", help="A file, or - for stdin.")
@namespace_option
def command(file: str, namespace: str) -> None:
    """Create or change objects from a file.

    The file is YAML or JSON with one or more objects of any kind, run files among them. All of
    them are read before the first is written. A field that is left out stays as it is.
    """
    from shoal.cli.context import Here

    documents = _read(file)
    here = Here(namespace)
    for document in documents:
        print(_apply_one(here, document))


class _Document(NamedTuple):
    """An object to be written; ``run`` is what it was made of, if it is one."""

    kind: "Kind[Any]"
    body: dict[str, Any]
    run: "Prepared | None" = None


def _read(file: str) -> list[_Document]:
    """The objects of a file. Raises BadInput with the line where one is wrong."""
    import yaml

    from shoal.cli.errors import BadInput
    from shoal.cli.runfile import read_text, syntax_error

    name = "stdin" if file == "-" else file
    loader = yaml.CSafeLoader(read_text(file))
    documents: list[_Document] = []
    try:
        while loader.check_node():
            node = loader.get_node()
            assert node is not None, "there was one to come"
            documents += _objects(node, loader.construct_document(node), file)
    except yaml.YAMLError as error:
        raise BadInput(syntax_error(error, name)) from None
    if not documents:
        raise BadInput(f"{name} has no objects; {_EXAMPLE}")
    return documents


def _objects(node: "yaml.Node", data: Any, file: str) -> list[_Document]:  # noqa: ANN401
    from shoal.cli.errors import BadInput
    from shoal.dialect.yaml_keys import repeated

    name = "stdin" if file == "-" else file
    at = f"{name} line {node.start_mark.line + 1}"
    if data is None:
        return []
    if not isinstance(data, dict):
        raise BadInput(f"{at}: this is no object; {_EXAMPLE}")
    if data.get("kind") == "Run":
        return [_run(node, file)]
    for path, line in repeated(node):
        raise BadInput(f"{name} line {line}: {path} is written twice; keep one")
    items: list[Any] = data.get("items") or [] if data.get("kind") == "List" else [data]
    return [_object(item, at) for item in items]


def _object(item: Any, at: str) -> _Document:  # noqa: ANN401 - as YAML has it
    from shoal.cli.errors import BadInput
    from shoal.cli.objects import served_kind

    metadata = item.get("metadata") if isinstance(item, dict) else None
    if not (isinstance(metadata, dict) and metadata.get("name") and item.get("kind")):
        raise BadInput(f"{at}: an object has a kind and a metadata.name; {_EXAMPLE}")
    try:
        kind = served_kind(str(item["kind"]))
    except BadInput as error:
        raise BadInput(f"{at}: {error}") from None
    return _Document(kind, _without_what_servers_set(item))


def _without_what_servers_set(document: dict[str, Any]) -> dict[str, Any]:
    """So that what ``get`` wrote can be applied."""
    from shoal.cli.runfile import SET_BY_SERVERS

    metadata = document["metadata"]
    kept = {key: value for key, value in metadata.items() if key not in SET_BY_SERVERS}
    return {key: value for key, value in document.items() if key != "status"} | {"metadata": kept}


def _run(node: "yaml.Node", file: str) -> _Document:
    """A run file as an object; a folder that it names is kept as a snapshot."""
    from shoal.api.kinds import RUNS
    from shoal.cli.errors import BadInput
    from shoal.cli.prepare import prepare_file
    from shoal.cli.runfile import check_run_node
    from shoal.cli.snapshot import take
    from shoal.kube.config import home_path

    name = "stdin" if file == "-" else file
    read = check_run_node(node, name)
    if not read.metadata.name:
        told = "metadata.name is missing; example: metadata: {name: resnet}"
        raise BadInput(read.source.said("metadata.name", told))
    prepared = prepare_file(read, file)
    code = None if prepared.folder is None else take(prepared.folder, home_path()).code
    document = prepared.document(prepared.name, code)
    if prepared.namespace:
        document["metadata"]["namespace"] = prepared.namespace
    return _Document(RUNS, document, prepared)


def _apply_one(here: "Here", document: _Document) -> str:
    """Create it, or merge it into what there is; a line that says which."""
    from shoal.cli.submit import refused
    from shoal.kube.errors import ApiError

    try:
        return _write(here, document.kind, document.body)
    except ApiError as error:
        if document.run is None:
            raise
        raise refused(error, document.run) from None


def _write(here: "Here", kind: "Kind[Any]", document: dict[str, Any]) -> str:
    from shoal.cli.objects import full_name, scope
    from shoal.kube.errors import ApiError

    name = document["metadata"]["name"]
    namespace = document["metadata"].get("namespace") or scope(here, kind)
    try:
        here.client.create(kind, document, namespace)
    except ApiError as error:
        if not error.already_exists:
            raise
    else:
        return f"{full_name(kind, name)} created"
    before = here.client.get(kind, name, namespace).metadata.resource_version
    after = here.client.patch(kind, name, namespace, patch=document).metadata.resource_version
    return f"{full_name(kind, name)} {'unchanged' if before == after else 'configured'}"
