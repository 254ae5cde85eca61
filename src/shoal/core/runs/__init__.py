"""The run state machine: a run and what exists of it in, what is to be done and told out.

Level-triggered: every answer is worked out from the objects as they are, so it may be asked
at any time, twice, or after a crash. The run's status carries only what the objects cannot
tell any more: the attempt, the first failure, and places whose claims are gone.
"""

from shoal.core.runs.machine import decide, name_taken, refused
from shoal.core.runs.phases import InvalidTransition
from shoal.core.runs.plan import Action, Create, Delete, End, Observed, Plan

__all__ = [
    "Action",
    "Create",
    "Delete",
    "End",
    "InvalidTransition",
    "Observed",
    "Plan",
    "decide",
    "name_taken",
    "refused",
]
