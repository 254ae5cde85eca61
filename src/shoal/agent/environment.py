"""A container's environment, as Kubernetes composes it, on top of what a program needs at all.

Later wins: base, what shoal tells, envFrom, env, and last what says which cards it may use.
https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
"""

import os
import pwd
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shoal.agent.errors import NotYetError, PodError
from shoal.agent.node import ADDRESS
from shoal.agent.sources import CONFIG_ERROR, Data, Sources
from shoal.api.pod import Container, EnvFrom, EnvVar, EnvVarSource, KeySelector, Pod

_REFERENCE: Final = re.compile(r"\$(?:\$|\(([A-Za-z_.-][A-Za-z0-9_.-]*)\))")
_MAP_FIELD: Final = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]\Z")
_PATH: Final = "/usr/local/bin:/usr/bin:/bin"


def base_environment(tmp: Path) -> dict[str, str]:
    """What any program needs, of the user who runs the agent, and output as it is written."""
    user = pwd.getpwuid(os.getuid())
    return {
        "PATH": os.environ.get("PATH", _PATH),
        "HOME": os.environ.get("HOME", user.pw_dir),
        "USER": user.pw_name,
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "TMPDIR": str(tmp),
        # A pipe makes Python hold back what it prints; people want to see their epochs.
        "PYTHONUNBUFFERED": "1",
    }


async def container_environment(
    pod: Pod, container: Container, sources: Sources, given: Mapping[str, str]
) -> dict[str, str]:
    """``given`` with the container's envFrom and env. Raises NotYetError or PodError."""
    result = dict(given)
    for entry in container.env_from:
        result |= await _all_of(entry, sources)
    for variable in container.env:
        value = await _value(pod, variable, sources, result)
        if value is not None:
            result[variable.name] = value
    return result


def expand(text: str, known: Mapping[str, str]) -> str:
    """Replaces ``$(NAME)`` where NAME is known; ``$$`` is one ``$``."""

    def put(match: re.Match[str]) -> str:
        name = match[1]
        return "$" if name is None else known.get(name, match[0])

    return _REFERENCE.sub(put, text)


def field_of(pod: Pod, path: str) -> str:
    """What ``fieldRef`` names. Raises PodError for a field that is not supported."""
    meta = pod.metadata
    plain = {
        "metadata.name": meta.name,
        "metadata.namespace": meta.namespace,
        "metadata.uid": meta.uid,
        "spec.nodeName": pod.spec.node_name,
        "status.podIP": ADDRESS,
        "status.hostIP": ADDRESS,
    }
    if path in plain:
        return plain[path]
    if match := _MAP_FIELD.match(path):
        return (meta.labels if match[1] == "labels" else meta.annotations).get(match[2], "")
    raise PodError("InvalidEnv", f"fieldRef {path} is not supported; supported: {', '.join(plain)}")


async def _all_of(entry: EnvFrom, sources: Sources) -> dict[str, str]:
    data: Data = {}
    if (ref := entry.config_map_ref) is not None:
        data = await sources.config_map(ref.name, optional=ref.optional)
    elif (ref := entry.secret_ref) is not None:
        data = await sources.secret(ref.name, optional=ref.optional)
    return {entry.prefix + key: _text(value) for key, value in data.items()}


async def _value(
    pod: Pod, variable: EnvVar, sources: Sources, known: Mapping[str, str]
) -> str | None:
    if variable.value_from is None:
        return expand(variable.value, known)
    return await _referred(pod, variable.value_from, sources)


async def _referred(pod: Pod, source: EnvVarSource, sources: Sources) -> str | None:
    if source.field_ref is not None:
        return field_of(pod, source.field_ref.field_path)
    if (ref := source.config_map_key_ref) is not None:
        return _key(await sources.config_map(ref.name, optional=ref.optional), ref)
    if (ref := source.secret_key_ref) is not None:
        return _key(await sources.secret(ref.name, optional=ref.optional), ref)
    raise PodError("InvalidEnv", "valueFrom takes fieldRef, configMapKeyRef or secretKeyRef here")


def _key(data: Data, ref: KeySelector) -> str | None:
    if ref.key in data:
        return _text(data[ref.key])
    if ref.optional:
        return None
    raise NotYetError(CONFIG_ERROR, f"{ref.name} has no key {ref.key}")


def _text(value: bytes) -> str:
    return value.decode(errors="surrogateescape")
