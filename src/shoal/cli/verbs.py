"""Every verb with its one line of help, so that ``shoal --help`` imports none of their modules.

A verb is the module ``shoal.cli.<name>`` with a click command named ``command``.
"""

from typing import Final, NamedTuple


class Verb(NamedTuple):
    """A verb; ``section`` is what people do with it, empty for a process of a box.

    ``example`` is a right command line, for a verb that does nothing without arguments.
    """

    name: str
    section: str
    help: str
    example: str = ""

    @property
    def hidden(self) -> bool:
        """Whether people start it themselves only to look into something."""
        return not self.section


_BOX: Final = "The box"
_RUNS: Final = "Runs"
_UNDERSTAND: Final = "Understand"
_OBJECTS: Final = "Any object"
_PROCESS: Final = ""

VERBS: Final = (
    Verb("up", _BOX, "Start the box of this machine: API server, scheduler, controllers, agent."),
    Verb("down", _BOX, "End the box."),
    Verb("status", _BOX, "Tell whether the box runs, its processes, its cards and its runs."),
    Verb(
        "doctor",
        _BOX,
        "Check Python, compiler, disk, store, port, cards, cgroups and clock.",
    ),
    Verb(
        "backup",
        _BOX,
        "Copy all objects into a file, also while the box runs.",
        "shoal backup monday.shoal",
    ),
    Verb(
        "restore",
        _BOX,
        "Make the objects in a backup those of an empty home.",
        "shoal restore monday.shoal",
    ),
    Verb("run", _RUNS, "Run a program on a share of a card."),
    Verb("ps", _RUNS, "List runs and what each waits for or ended with."),
    Verb("logs", _RUNS, "Show what a run printed.", "shoal logs digits"),
    Verb("attach", _RUNS, "Watch a run as if it had been started here.", "shoal attach digits"),
    Verb("stop", _RUNS, "End runs.", "shoal stop digits"),
    Verb("rerun", _RUNS, "Run again what ran before.", "shoal rerun digits"),
    Verb("plan", _UNDERSTAND, "Say what a run would get now; change nothing."),
    Verb("why", _UNDERSTAND, "Say why a run waits, or why it ended.", "shoal why digits"),
    Verb("top", _UNDERSTAND, "Show the cards and who holds what of them."),
    Verb("sim", _UNDERSTAND, "Replay a trace and show what a policy makes of it; no box needed."),
    Verb("get", _OBJECTS, "List objects of a kind.", "shoal get runs"),
    Verb("describe", _OBJECTS, "Show all facts of an object.", "shoal describe digits"),
    Verb("apply", _OBJECTS, "Create or change objects from a file.", "shoal apply -f run.yaml"),
    Verb("delete", _OBJECTS, "Delete objects.", "shoal delete run digits"),
    Verb("apiserver", _PROCESS, "Serve the objects of the home on 127.0.0.1."),
    Verb(
        "loops",
        _PROCESS,
        "Run the controllers and the scheduler against the API server of the home.",
    ),
    Verb("agent", _PROCESS, "Run pods that are bound to this machine."),
)
