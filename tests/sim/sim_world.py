"""Small traces: as files in the openb format, and as hypothesis strategies."""

from pathlib import Path

from hypothesis import strategies as st

from shoal.core.engine.policy import Policy
from shoal.sim.classes import Typical, classes_of, work_of
from shoal.sim.prepare import Prepared
from shoal.sim.trace import Trace, TraceNode, TracePod

NODES = """\
sn,cpu_milli,memory_mib,gpu,model
n-0,32000,131072,2,T4
n-1,32000,131072,2,P100
n-2,96000,393216,8,G2
n-3,16000,65536,0,
"""
PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,scheduled_time
p-0,4000,8192,1,1000,,LS,0,100,0
p-1,2000,4096,1,460,T4|P100,LS,10,70,20
p-2,8000,16384,0,0,,BE,20,50,20
p-3,32000,65536,8,1000,,BE,30,,
p-4,1000,1024,1,250,,LS,40,90,
"""
MODELS = ("T4", "P100", "G2")


def written(folder: Path, *, nodes: str = NODES, pods: str = PODS) -> tuple[Path, Path]:
    """The two files of a trace."""
    (folder / "nodes.csv").write_text(nodes)
    (folder / "pods.csv").write_text(pods)
    return folder / "nodes.csv", folder / "pods.csv"


def small_trace() -> Trace:
    """Six nodes with 20 cards in all, and 12 pods that ask for 16.5."""
    nodes = tuple(
        TraceNode(f"n-{at}", 16_000 * cards, 64 * 1024 * cards, cards, model)
        for at, (cards, model) in enumerate([(2, 0), (2, 0), (4, 1), (4, 1), (4, 1), (4, 2)])
    )
    shapes = [
        (1, 1000, ()),
        (1, 460, ()),
        (0, 0, ()),
        (2, 1000, ()),
        (1, 810, (0, 1)),
        (4, 1000, ()),
    ]
    pods = tuple(
        TracePod(f"p-{at}", 1000 * (1 + at % 7), 1024, *shapes[at % len(shapes)])
        for at in range(12)
    )
    return Trace("small", MODELS, nodes, pods)


def quickly_prepared(trace: Trace, policy: Policy) -> Prepared:
    """What ``prepare`` gives, but for what takes seconds to be learnt."""
    return Prepared(policy, classes_of(trace.pods), work_of(trace, Typical.ALL), None)


@st.composite
def traces(draw) -> Trace:
    """A few nodes and pods; some pods may be more than any node can hold."""
    node = st.builds(
        TraceNode,
        name=st.just("n"),
        cpu=st.sampled_from([4000, 16_000]),
        memory=st.sampled_from([8192, 65_536]),
        cards=st.integers(1, 4),
        model=st.integers(0, len(MODELS) - 1),
    )
    pod = st.builds(
        lambda share, **rest: TracePod(cards=share[0], milli=share[1], **rest),
        share=st.sampled_from([(0, 0), (1, 250), (1, 460), (1, 1000), (2, 1000), (4, 1000)]),
        name=st.just("p"),
        cpu=st.sampled_from([500, 4000, 20_000]),
        memory=st.sampled_from([512, 8192]),
        models=st.sampled_from([(), (0,), (1, 2), (2, 1, 2)]),
    )
    pods = draw(
        st.lists(pod, min_size=1, max_size=12).filter(lambda all_: any(p.asked for p in all_))
    )
    return Trace("drawn", MODELS, tuple(draw(st.lists(node, min_size=1, max_size=5))), tuple(pods))
