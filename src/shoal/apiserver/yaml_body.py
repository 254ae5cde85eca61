"""YAML request bodies, as JSON would have said them: no timestamps, no aliases, text keys."""

import yaml

from shoal.dialect.document import Json
from shoal.dialect.status import bad_request
from shoal.dialect.yaml_keys import repeated


class _Loader(yaml.CSafeLoader):
    """YAML 1.1 without times, which JSON has not got either."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:timestamp"]
    for letter, rules in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def load(body: bytes) -> Json:
    """The document. Raises StatusError 400. Aliases are refused: they let 1 kB grow to 1 GB."""
    try:
        for event in yaml.parse(body, Loader=_Loader):
            if isinstance(event, yaml.AliasEvent):
                raise bad_request(f"the body uses the YAML alias *{event.anchor}; write it out")
        return _as_json(yaml.load(body, Loader=_Loader))  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError) as error:
        told = " ".join(str(error).split())
        raise bad_request(f"the body is not YAML: {told[:300]}") from error


def duplicates(body: bytes) -> list[str]:
    """Paths of the keys that a text which was loaded gives more than once."""
    return [path for path, _ in repeated(yaml.compose(body, Loader=_Loader))]


def _as_json(value: Json) -> Json:
    if isinstance(value, dict):
        return {_text(key): _as_json(item) for key, item in value.items()}
    return [_as_json(item) for item in value] if isinstance(value, list) else value


def _text(key: Json) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    return str(key)
