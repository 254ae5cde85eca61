"""What is wrong with a job, field by field."""

import re
from collections.abc import Iterator
from typing import Any, Final

from shoal.apiserver.kinds.pod_check import pod_causes
from shoal.apiserver.kinds.refuse import not_supported
from shoal.dialect.document import Document
from shoal.dialect.names import label_causes, wrong_subdomain
from shoal.dialect.selectors import SelectorError, label_selector
from shoal.dialect.status import DUPLICATE, INVALID, NOT_SUPPORTED, REQUIRED, TOO_LONG, Cause

_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_MODES: Final = ("NonIndexed", "Indexed")
_RESTARTS: Final = ("OnFailure", "Never")
_REPLACEMENTS: Final = ("TerminatingOrFailed", "Failed")
_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_MOST_INDEXED: Final = 100_000
_MOST_RULES: Final = 20
_MOST_VALUES: Final = 255
_LONGEST_MANAGER: Final = 63
_MANAGER_PATH: Final = re.compile(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+\Z")
_TOO_MANY: Final = "FieldValueTooMany"


def job_causes(document: Document) -> Iterator[Cause]:
    """Every cause to refuse a completed job."""
    spec: Document = document["spec"]
    for field in _COUNTS:
        if (count := spec.get(field)) is not None and count < 0:
            yield Cause(INVALID, f"{count} is less than 0", f"spec.{field}")
    yield from _mode_causes(spec)
    yield from not_supported(
        spec["podReplacementPolicy"], _REPLACEMENTS, "spec.podReplacementPolicy"
    )
    yield from _manager_causes(spec.get("managedBy"))
    yield from _selector_causes(spec)
    yield from _template_causes(spec)
    if (policy := spec.get("podFailurePolicy")) is not None:
        yield from _policy_causes(policy, spec)


def generated_causes(document: Document) -> Iterator[Cause]:
    """Causes to refuse a new job whose selector the server has completed: it chooses by uid."""
    spec: Document = document["spec"]
    labels = spec["template"]["metadata"]["labels"]
    wanted = generated_labels(document["metadata"])
    for key, value in wanted.items():
        if labels[key] != value:
            yield Cause(INVALID, f"must be {value}", f"spec.template.metadata.labels[{key}]")
    try:
        matches = label_selector(spec["selector"]).matches(wanted)
    except SelectorError:
        return
    if not matches:
        told = "is made by the server; leave it out, or set manualSelector: true"
        yield Cause(INVALID, told, "spec.selector")


def generated_labels(metadata: Document) -> dict[str, str]:
    """The labels that the pods of a job carry."""
    keys = {"controller-uid": metadata["uid"], "job-name": metadata.get("name", "")}
    return {**keys, **{f"batch.kubernetes.io/{key}": value for key, value in keys.items()}}


def _mode_causes(spec: Document) -> Iterator[Cause]:
    mode = spec["completionMode"]
    yield from not_supported(mode, _MODES, "spec.completionMode")
    if mode == "Indexed":
        if spec.get("completions") is None:
            told = "an indexed job has a fixed number; example: completions: 4"
            yield Cause(REQUIRED, told, "spec.completions")
        if spec["parallelism"] > _MOST_INDEXED:
            yield Cause(INVALID, f"at most {_MOST_INDEXED}", "spec.parallelism")
    elif spec.get("backoffLimitPerIndex") is not None:
        told = "needs completionMode: Indexed"
        yield Cause(INVALID, told, "spec.backoffLimitPerIndex")
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        told = "is needed by maxFailedIndexes; example: backoffLimitPerIndex: 1"
        yield Cause(REQUIRED, told, "spec.backoffLimitPerIndex")
    if spec.get("successPolicy") is not None and mode != "Indexed":
        yield Cause(INVALID, "needs completionMode: Indexed", "spec.successPolicy")


def _manager_causes(manager: str | None) -> Iterator[Cause]:
    if manager is None:
        return
    domain, slash, path = manager.partition("/")
    if not slash or wrong_subdomain(domain) or not _MANAGER_PATH.match(path):
        told = f"{manager[:70]!r} is no domain and path; example: example.com/controller"
        yield Cause(INVALID, told, "spec.managedBy")
    if len(manager) > _LONGEST_MANAGER:
        yield Cause(TOO_LONG, f"at most {_LONGEST_MANAGER} letters", "spec.managedBy")


def _selector_causes(spec: Document) -> Iterator[Cause]:
    labels = spec["template"]["metadata"].get("labels") or {}
    if spec.get("selector") is None:
        yield Cause(REQUIRED, "example: {matchLabels: {app: web}}", "spec.selector")
        return
    try:
        selector = label_selector(spec["selector"])
    except SelectorError as error:
        yield Cause(INVALID, str(error), "spec.selector")
        return
    if not selector.matches(labels):
        told = "are not chosen by spec.selector"
        yield Cause(INVALID, told, "spec.template.metadata.labels")


def _template_causes(spec: Document) -> Iterator[Cause]:
    template: Document = spec["template"]
    yield from label_causes(template["metadata"], "spec.template.metadata")
    pod: Document = template["spec"]
    yield from pod_causes(pod, "spec.template.spec")
    at, restart = "spec.template.spec.restartPolicy", pod["restartPolicy"]
    if restart == "Always":
        yield Cause(REQUIRED, f"one of {', '.join(_RESTARTS)}", at)
    elif restart != "Never" and spec.get("podFailurePolicy") is not None:
        yield Cause(INVALID, "must be Never with podFailurePolicy", at)


def _policy_causes(policy: Document, spec: Document) -> Iterator[Cause]:
    at, rules = "spec.podFailurePolicy.rules", policy.get("rules") or []
    if len(rules) > _MOST_RULES:
        yield Cause(_TOO_MANY, f"at most {_MOST_RULES}", at)
    if spec["podReplacementPolicy"] != "Failed":
        told = "must be Failed with podFailurePolicy"
        yield Cause(NOT_SUPPORTED, told, "spec.podReplacementPolicy")
    pod: Document = spec["template"]["spec"]
    names = {
        container.get("name")
        for part in ("containers", "initContainers")
        for container in pod.get(part) or ()
    }
    for index, rule in enumerate(rules):
        yield from _rule_causes(rule, spec, names, f"{at}[{index}]")


def _rule_causes(rule: Document, spec: Document, names: set[Any], at: str) -> Iterator[Cause]:
    action, codes = rule.get("action"), rule.get("onExitCodes")
    conditions = rule.get("onPodConditions") or []
    if not action:
        yield Cause(REQUIRED, f"one of {', '.join(_ACTIONS)}", f"{at}.action")
    else:
        yield from not_supported(action, _ACTIONS, f"{at}.action")
    if action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        yield Cause(INVALID, "FailIndex needs spec.backoffLimitPerIndex", f"{at}.action")
    if codes is not None and conditions:
        yield Cause(INVALID, "takes one of onExitCodes and onPodConditions, not both", at)
    elif codes is None and not conditions:
        yield Cause(INVALID, "takes one of onExitCodes and onPodConditions", at)
    if codes is not None:
        yield from _code_causes(codes, names, f"{at}.onExitCodes")
    for index, pattern in enumerate(conditions):
        if not pattern.get("type"):
            yield Cause(
                REQUIRED, "example: DisruptionTarget", f"{at}.onPodConditions[{index}].type"
            )


def _code_causes(codes: Document, names: set[Any], at: str) -> Iterator[Cause]:
    if (name := codes.get("containerName")) is not None and name not in names:
        told = f"{name!r} is no container of the template"
        yield Cause(INVALID, told, f"{at}.containerName")
    yield from not_supported(codes.get("operator"), _OPERATORS, f"{at}.operator")
    values = codes.get("values") or []
    if not values:
        yield Cause(INVALID, "at least one; example: [42]", f"{at}.values")
    elif len(values) > _MOST_VALUES:
        yield Cause(_TOO_MANY, f"at most {_MOST_VALUES}", f"{at}.values")
    for index, value in enumerate(values):
        if value == 0 and codes.get("operator") == "In":
            yield Cause(INVALID, "0 is no failure", f"{at}.values[{index}]")
        if value in values[:index]:
            yield Cause(DUPLICATE, f"{value} is there already", f"{at}.values[{index}]")
    if values != sorted(values):
        yield Cause(INVALID, "must be in ascending order", f"{at}.values")
