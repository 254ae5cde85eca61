"""The service account of a new pod, and the volume through which programs look for it."""

from typing import Final

from shoal.apiserver.history import Key
from shoal.apiserver.ids import IDS
from shoal.apiserver.kinds.mount_support import ACCOUNT_PLACE
from shoal.apiserver.kinds.pod_defaults import containers_of
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.status import forbidden

_DEFAULT: Final = "default"
_PREFIX: Final = "kube-api-access-"
_TOKEN_SECONDS: Final = 3607


def use_account(document: Document, world: World) -> None:
    """Name the account of a pod and give it its volume. Raises StatusError 403.

    A namespace whose default account is not made yet takes pods all the same, without a volume:
    accounts carry no rights here, so there is nothing that such a pod would lack.
    """
    spec, metadata = document["spec"], document["metadata"]
    name = spec.get("serviceAccountName") or _DEFAULT
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    account = world.find(Key("serviceaccounts", metadata["namespace"], name))
    if account is None:
        if name == _DEFAULT:
            return
        why = f"there is no service account {name} in its namespace; create it first"
        raise forbidden("", "pods", metadata.get("name", ""), why)
    if secrets := account.get("imagePullSecrets"):
        spec.setdefault("imagePullSecrets", [dict(secret) for secret in secrets])
    if spec.get("automountServiceAccountToken", account.get("automountServiceAccountToken", True)):
        _mount(spec)


def _mount(spec: Document) -> None:
    lacking = [container for container in containers_of(spec) if not _has_one(container)]
    if not lacking:
        return
    volumes = spec.setdefault("volumes", [])
    names = (volume.get("name") or "" for volume in volumes)
    name = next((name for name in names if name.startswith(_PREFIX)), "")
    if not name:
        name = f"{_PREFIX}{IDS.suffix()}"
        volumes.append(_volume(name))
    for container in lacking:
        mount = {"name": name, "readOnly": True, "mountPath": ACCOUNT_PLACE}
        container.setdefault("volumeMounts", []).append(mount)


def _has_one(container: Document) -> bool:
    return any(m.get("mountPath") == ACCOUNT_PLACE for m in container.get("volumeMounts") or ())


def _volume(name: str) -> Document:
    namespace = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
        {
            "configMap": {
                "name": "kube-root-ca.crt",
                "items": [{"key": "ca.crt", "path": "ca.crt"}],
            }
        },
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": namespace}]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 0o644}}
