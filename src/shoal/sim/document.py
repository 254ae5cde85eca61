"""What programs are told of runs: plain dictionaries."""

from collections.abc import Sequence
from typing import Any

import msgspec

from shoal.core.engine.policy import Policy
from shoal.sim.record import Curve, Record
from shoal.sim.stays import StayRecord
from shoal.sim.trace import Trace


def document_of(
    trace: Trace, policy: Policy, load: int, records: Sequence[Record]
) -> dict[str, Any]:
    """One policy on one trace; curves by percent of arrived load, in percent of all cards."""
    return {
        "trace": trace.name,
        "policy": policy.value,
        "load": load / 1000,
        "seeds": [_seed(each) for each in records],
    }


def stay_document_of(
    trace: Trace, policy: Policy, load: int | None, records: Sequence[StayRecord]
) -> dict[str, Any]:
    """The same of runs in which pods end; shares in percent of all cards, waits in seconds."""
    return {
        "trace": trace.name,
        "policy": policy.value,
        "load": None if load is None else load / 1000,
        "seeds": [_stay_seed(each) for each in records],
    }


def _stay_seed(record: StayRecord) -> dict[str, Any]:
    return {
        "seed": record.seed,
        "utilisation": record.utilisation,
        "wanted": record.wanted,
        "waits": msgspec.structs.asdict(record.waits),
        "placed": record.placed,
        "refused": record.refused,
        "cpu_seconds": record.cpu_seconds,
    }


def _seed(record: Record) -> dict[str, Any]:
    return {
        "seed": record.seed,
        "allocation": _curve(record.allocation),
        "fragmentation": _curve(record.fragmentation),
        "placed": record.placed,
        "refused": record.refused,
        "cpu_seconds": record.cpu_seconds,
    }


def _curve(curve: Curve) -> dict[str, float]:
    return {str(percent): value for percent, value in enumerate(curve)}
