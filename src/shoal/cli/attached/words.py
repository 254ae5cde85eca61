"""What somebody who watches a run is told of the watching itself."""

from shoal.api.run import Run, RunPhase

BACK = "  the box answers again"


def away_words(run: Run) -> str:
    """The box does not answer, and what that means for the run."""
    if run.status.phase is RunPhase.QUEUED:
        kept = f"{run.metadata.name} is kept and goes on waiting after the next shoal up"
    else:
        kept = "programs outlive the box"
    return f"  the box does not answer; asking again · {kept}"


def unknown_words(run: Run) -> str:
    """The box does not answer, and nobody asks it any more: what is known, and what to do."""
    name = run.metadata.name
    if run.status.phase is RunPhase.QUEUED:
        known = f"{name} waited when it last did; it is kept and goes on waiting after shoal up"
    else:
        known = f"how {name} does is not known here, but programs outlive the box"
    return f"the box does not answer: {known}. Look again once it is up: shoal attach {name}"


def detached_words(name: str) -> str:
    """It goes on without being watched."""
    return f"{name} goes on. Watch it: shoal attach {name} · end it: shoal stop {name}"
