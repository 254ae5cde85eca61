"""What there was when the commands were recorded: objects by name, and who needs which.

Objects are made anew, in a namespace of the test, unless a command only reads.
"""

from typing import Any

from tests.kubectl.recorder import WATCH
from tests.serving import NODE

GROUP = "dialect.test"  # the records' own group holds our kinds here
CORE = "/api/v1/namespaces/{ns}"
RUNS = f"/apis/{GROUP}/v1alpha1/namespaces/{{ns}}/runs"
JOBS = "/apis/batch/v1/namespaces/{ns}/jobs"


def _pod(name: str, run: str, app: str, node: str | None = NODE, **spec: Any) -> Any:
    container = {"name": "c", "image": "host", "command": ["/bin/sh", "-c", run]}
    body: dict[str, Any] = {
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 1,
        "containers": [container],
    } | spec
    if node:
        body["nodeName"] = node
    meta = {"name": name, "labels": {"app": app}}
    return f"{CORE}/pods", {"metadata": meta, "spec": body}


def _map(name: str, **data: str) -> Any:
    return f"{CORE}/configmaps", {"metadata": {"name": name}, "data": data}


_NOT_READY = {"conditions": [{"type": "Ready", "status": "False"}]}
_WORK = {
    "template": {
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "containers": [{"name": "c", "image": "x"}],
        }
    }
}

OBJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "web": _pod("web", "echo line one; echo line two; sleep 3600", "web"),
    "crash": _pod("crash", "echo life; exit 1", "crash"),
    "serve": _pod("serve", "sleep 3600", "serve"),
    "talk": _pod("talk", "sleep 3600", "talk"),
    "pending": _pod("pending", "sleep 3600", "pending", node=None),
    "short": _pod("short", "echo a; echo b", "web", restartPolicy="Never"),
    "stopme": _pod("stopme", "sleep 3600", "stopme"),
    "watched": _pod("watched", "sleep 3600", "watched", node=None),
    "todrain": _pod("todrain", "sleep 3600", "todrain", node="dia-kn-{pass}"),
    "work": (JOBS, {"metadata": {"name": "work"}, "spec": _WORK}),
    "one": _map("one", a="first"),
    "kube-root-ca.crt": _map("kube-root-ca.crt", **{"ca.crt": "x"}),
    "seen": _map("seen"),
    "gone": _map("gone"),
    "goes": _map("goes"),
    "comes": _map("comes"),
    "two-b": (f"{CORE}/secrets", {"metadata": {"name": "two-b"}, "stringData": {"p": "q"}}),
    "demo": (RUNS, {"metadata": {"name": "demo"}, "spec": {"command": "true"}}),
    "node": ("/api/v1/nodes", {"metadata": {"name": "dia-kn-{pass}"}, "status": _NOT_READY}),
}

# Commands that read one world, and what there is in it.
WORLD = [
    "crash", "pending", "serve", "talk", "web", "work", "one", "kube-root-ca.crt", "demo"
]  # fmt: skip
READING = (
    *("describe-cm", "describe-job", "describe-node", "describe-pod", "describe-run"),
    *("events", "events-for", "explain-cold", "explain-pod", "explain-recursive", "explain-run"),
    *("get-category", "get-chunks", "get-cold", "get-custom-columns", "get-events"),
    *("get-field-selector", "get-jsonpath", "get-mixed", "get-pod-yaml", "get-pods"),
    *("get-pods-json", "get-pods-name", "get-pods-wide", "get-runs", "get-runs-wide"),
    *("get-selector", "get-sorted", "get-subresource", "logs", "logs-missing-container"),
    *("logs-previous", "logs-tail", "logs-timestamps"),
    *("wait-condition", "wait-jsonpath", "wait-timeout"),
)

# Objects that a command needs in a namespace of its own.
NEEDS: dict[str, list[str]] = {
    "annotate": ["demo"],
    "cordon": ["node"],
    "delete-all": ["two-b"],
    "delete-cascade-orphan": ["work"],
    "delete-dry-run": ["one"],
    "delete-label": ["work"],
    "delete-no-wait": ["seen"],
    "delete-now": ["gone"],
    "delete-pod-wait": ["stopme"],
    "drain": ["node", "todrain"],
    "edit": ["one"],
    "get-all-namespaces": ["demo"],
    "get-nodes": ["node"],
    "label": ["web"],
    "logs-follow": ["short"],
    "logs-selector": ["web", "short"],
    "patch-json": ["one"],
    "patch-merge": ["one"],
    "patch-run": ["demo"],
    "patch-run-strategic": ["demo"],
    "patch-status": ["demo"],
    "patch-strategic": ["one"],
    "rollout-restart-run": ["demo"],
    "rollout-status-run": ["demo"],
    "scale-no-subresource": ["demo"],
    "taint": ["node"],
    "wait-delete": ["goes"],
    "get-watch": ["watched"],
}

# Commands that were given before, in that order.
AFTER: dict[str, list[str]] = {
    "apply-no-change": ["apply-create"],
    "apply-pod-update": ["apply-pod-create"],
    "apply-run-update": ["apply-run-create"],
    "apply-update": ["apply-create"],
    "create-file-exists": ["create-file"],
    "delete-cascade-foreground": ["apply-run-create"],
    "delete-file": ["apply-create"],
    "delete-force": ["apply-pod-create"],
    "delete-wait": ["create-file"],
    "diff-change": ["apply-create", "apply-update"],
    "diff-none": ["apply-create", "apply-update"],
    "get-raw-apis": ["create-job"],
    "label-exists": ["label"],
    "label-overwrite": ["label"],
    "label-remove": ["label"],
    "patch-no-change": ["patch-strategic"],
    "replace": ["apply-create"],
    "replace-force": ["apply-create"],
    "scale-job": ["create-job"],
    "set-image": ["apply-pod-create"],
    "uncordon": ["cordon"],
}

# What happens while the command waits: the request that it has made by then, then changes.
MEANWHILE: dict[str, tuple[tuple[str, str], list[tuple[str, str]]]] = {
    "drain": (("POST", "/eviction"), [("remove", "todrain")]),
    "get-watch": (("GET", WATCH), [("delete", "watched")]),
    "get-watch-only": (("GET", WATCH), [("create", "seen")]),
    "wait-create": (("GET", "/comes"), [("create", "comes")]),
    "wait-delete": (("GET", WATCH), [("delete", "goes")]),
}

# Outputs that tell of the recording's own machine, versions or texts.
OTHER_OUTPUT = {
    "api-resources": "other kinds are served",
    "api-resources-cold": "the short names are those of another definition",
    "api-versions": "other groups are served",
    "auth-whoami": "the user is another one",
    "describe-job": "events have their own texts",
    "describe-node": "the machine is another one",
    "describe-pod": "events have their own texts",
    "events": "events have their own texts",
    "events-for": "events have their own texts",
    "explain-cold": "descriptions are not copied",
    "explain-pod": "descriptions are not copied",
    "explain-recursive": "descriptions are not copied",
    "get-all-namespaces": "other tests have runs too",
    "get-events": "events have their own texts",
    "get-nodes": "the machine has another version",
    "get-pod-yaml": "the status is another agent's",
    "get-pods-json": "the status is another agent's",
    "get-pods-wide": "addresses and nodes are this machine's",
    "get-raw-apis": "managedFields are not kept",
    "version": "the version is another one",
    "version-json": "the version is another one",
}

# kubectl goes through its pods in no order of its own: lines are compared, not their order.
ANY_ORDER = ("logs-selector",)

# Refusals that say the same in words of our own; what stands before the sentence is compared.
OTHER_WORDS = ("patch-run-strategic", "scale-no-subresource")
