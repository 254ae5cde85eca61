"""``shoal apply``: objects from a file, created or changed."""

from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    import yaml

    from shoal.cli.context import Here


@click.command()
@click.option("-f", "--file", "file", required=True, metavar="FILE", help="A file, or - for stdin.")
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


def _read(file: str) -> list[dict[str, Any]]:
    """The objects of a file. Raises BadInput with the line where one is wrong."""
    import yaml

    from shoal.cli.errors import BadInput
    from shoal.cli.runfile import read_text, syntax_error

    name = "stdin" if file == "-" else file
    loader = yaml.CSafeLoader(read_text(file))
    documents: list[dict[str, Any]] = []
    try:
        while loader.check_node():
            node = loader.get_node()
            assert node is not None, "there was one to come"
            documents += _objects(node, loader.construct_document(node), file)
    except yaml.YAMLError as error:
        raise BadInput(syntax_error(error, name)) from None
    if not documents:
        raise BadInput(f"{name} has no objects; example: kind: Run, spec: {{run: python train.py}}")
    return documents


def _objects(node: "yaml.Node", data: Any, file: str) -> list[dict[str, Any]]:  # noqa: ANN401
    from shoal.cli.errors import BadInput

    if data is None:
        return []
    if not isinstance(data, dict):
        raise BadInput(f"{file} has no objects; example: kind: Run, spec: {{run: python train.py}}")
    if data.get("kind") == "Run":
        return [_run(node, file)]
    items: list[Any] = data.get("items") or [] if data.get("kind") == "List" else [data]
    for item in items:
        metadata = item.get("metadata") if isinstance(item, dict) else None
        if not (isinstance(metadata, dict) and metadata.get("name") and item.get("kind")):
            raise BadInput(f"{file}: an object has a kind and a metadata.name; this one has not")
    return [_without_what_servers_set(item) for item in items]


def _without_what_servers_set(document: dict[str, Any]) -> dict[str, Any]:
    """So that what ``get`` wrote can be applied."""
    from shoal.cli.runfile import SET_BY_SERVERS

    metadata = document["metadata"]
    kept = {key: value for key, value in metadata.items() if key not in SET_BY_SERVERS}
    return {key: value for key, value in document.items() if key != "status"} | {"metadata": kept}


def _run(node: "yaml.Node", file: str) -> dict[str, Any]:
    """A run file as an object; a folder that it names is kept as a snapshot."""
    from shoal.cli.errors import BadInput
    from shoal.cli.prepare import prepare_file
    from shoal.cli.runfile import check_run_node
    from shoal.cli.snapshot import take
    from shoal.kube.config import home_path

    name = "stdin" if file == "-" else file
    read = check_run_node(node, name)
    if not read.metadata.name:
        raise BadInput(f"{name}: metadata.name is missing; example: metadata: {{name: resnet}}")
    prepared = prepare_file(read, file)
    code = None if prepared.folder is None else take(prepared.folder, home_path()).code
    document = prepared.document(prepared.name, code)
    if prepared.namespace:
        document["metadata"]["namespace"] = prepared.namespace
    return document


def _apply_one(here: "Here", document: dict[str, Any]) -> str:
    """Create it, or merge it into what there is; a line that says which."""
    from shoal.cli.objects import find_kind, full_name, scope
    from shoal.kube.errors import ApiError

    kind = find_kind(str(document["kind"]))
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
