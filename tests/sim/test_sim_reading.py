"""Reading the openb format: what it means, and the sentence for each way to be wrong."""

from pathlib import Path

import pytest
from tests.sim.sim_world import NODES, PODS, written

from shoal.sim.errors import TraceError
from shoal.sim.openb import read_openb


def read(folder: Path, **texts: str):
    return read_openb("small", *written(folder, **texts))


def test_a_trace_is_read_in_integers(tmp_path: Path) -> None:
    trace = read(tmp_path)
    assert trace.models == ("T4", "P100", "G2")
    assert [(node.cards, node.model) for node in trace.nodes] == [(2, 0), (2, 1), (8, 2), (0, -1)]
    assert trace.capacity == 12_000
    whole, part, bare, *_ = trace.pods
    assert (whole.cpu, whole.memory, whole.asked, whole.models) == (4000, 8192, 1000, ())
    assert (part.milli, part.models, part.owner) == (460, (0, 1), "LS")
    assert bare.asked == 0


def test_a_pod_lives_from_when_it_was_scheduled_or_else_came(tmp_path: Path) -> None:
    times = [(pod.arrives, pod.lives) for pod in read(tmp_path).pods]
    assert times == [(0, 100), (10, 50), (20, 30), (30, None), (40, 50)]


def test_lists_without_models_and_times_are_read(tmp_path: Path) -> None:
    pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np-0,4000,8192,1,1000\n"
    (pod,) = read(tmp_path, pods=pods).pods
    assert (pod.models, pod.arrives, pod.lives) == ((), None, None)


def test_line_ends_of_windows_a_byte_order_mark_and_no_last_newline_do(tmp_path: Path) -> None:
    text = "\ufeff" + PODS.replace("\n", "\r\n").removesuffix("\r\n")
    nodes, pods = written(tmp_path)
    pods.write_bytes(text.encode())
    assert read_openb("small", nodes, pods).pods == read(tmp_path).pods


@pytest.mark.parametrize(
    ("there", "instead", "sentence"),
    [
        ("num_gpu", "gpus", "pods.csv:1: column num_gpu: is missing; there are name, cpu_milli"),
        ("memory_mib", "memory_gib", "pods.csv:1: column memory_mib: is missing"),
        ("qos", "name", "pods.csv:1: column name: is there twice"),
        (PODS, "", "pods.csv:1: is empty; the first line names the columns name, cpu_milli"),
        ("p-1,2000", "p-1,2 CPU", "pods.csv:3: column cpu_milli: '2 CPU' is not a whole number"),
        (
            "p-1,2000",
            "p-1,2.5",
            "pods.csv:3: column cpu_milli: '2.5' is not a whole number of mCPU",
        ),
        ("p-1,2000", "p-1,²", "pods.csv:3: column cpu_milli: '²' is not a whole number of mCPU"),
        ("p-1,2000", "p-1,", "pods.csv:3: column cpu_milli: is empty; it takes a whole number"),
        ("4096", "4Gi", "pods.csv:3: column memory_mib: '4Gi' is not a whole number of MiB"),
        (
            "4096",
            "4294967296",
            "pods.csv:3: column memory_mib: 4294967296 MiB is more than there can",
        ),
        ("10,70,20", "-10,70,20", "pods.csv:3: column creation_time: -10 is negative; it takes"),
        (
            "10,70,20",
            "10,7,20",
            "pods.csv:3: column deletion_time: 7 s is before the pod started, 20 s",
        ),
        ("p-4", "p-0", "pods.csv:6: column name: p-0 is there twice, first in line 2"),
        ("p-4,", ",", "pods.csv:6: column name: is empty; every line has a name of its own"),
        (
            "40,90,\n",
            "40",
            "pods.csv:6: column deletion_time: is missing: the last line is cut off",
        ),
        ("0,100,0", "0", "pods.csv:2: column deletion_time: is missing in this line"),
        ("0,100,0", "0,100,0,0", "pods.csv:2: has 11 fields; the header names 10 columns"),
        ("T4|P100", "T4|H9", "pods.csv:3: column gpu_spec: no node has the model H9; there are G2"),
        (
            "1,460",
            "1,1460",
            "pods.csv:3: column gpu_milli: 1460 is more than one card, which has 1000",
        ),
        ("1,460", "2,460", "pods.csv:3: column gpu_milli: 460 of each of 2 cards; only one card"),
        ("1,460", "1,0", "pods.csv:3: column gpu_milli: 0 of a card, and num_gpu is 1"),
        ("1,460", "0,460", "pods.csv:3: column gpu_milli: 460 of a card, and num_gpu is 0"),
        ("p-2,", '"p-2,', "cannot be read: unexpected end of data"),
    ],
)
def test_a_wrong_list_of_pods_is_a_sentence_with_its_place(
    there: str, instead: str, sentence: str, tmp_path: Path
) -> None:
    assert there in PODS
    with pytest.raises(TraceError) as caught:
        read(tmp_path, pods=PODS.replace(there, instead, 1))
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("there", "instead", "sentence"),
    [
        (",gpu,", ",cards,", "nodes.csv:1: column gpu: is missing; there are sn, cpu_milli"),
        ("n-1", "n-0", "nodes.csv:3: column sn: n-0 is there twice, first in line 2"),
        (",8,G2", ",80,G2", "nodes.csv:4: column gpu: 80 cards; a node has at most 64"),
        (",8,G2", ",8,", "nodes.csv:4: column model: is empty, and the node has cards: 8"),
        (
            "16000,65536,0,\n",
            "160",
            "nodes.csv:5: column memory_mib: is missing: the last line is cut",
        ),
    ],
)
def test_a_wrong_list_of_nodes_is_a_sentence_with_its_place(
    there: str, instead: str, sentence: str, tmp_path: Path
) -> None:
    assert there in NODES
    with pytest.raises(TraceError) as caught:
        read(tmp_path, nodes=NODES.replace(there, instead, 1))
    assert sentence in str(caught.value)


def test_nothing_to_place_on_or_nothing_to_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"nodes\.csv: no node has a card"):
        read(tmp_path, nodes="sn,cpu_milli,memory_mib,gpu,model\nn-0,1000,1024,0,\n")
    with pytest.raises(TraceError, match=r"pods\.csv: no pod asks for a card"):
        read(tmp_path, pods=PODS.splitlines(keepends=True)[0])


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    nodes, pods = written(tmp_path)
    with pytest.raises(TraceError, match=r"none\.csv cannot be read: No such file"):
        read_openb("small", nodes, tmp_path / "none.csv")
    pods.write_bytes(PODS.encode() + b"p-9,\xff\n")
    with pytest.raises(TraceError, match=r"pods\.csv:7: is not text in UTF-8"):
        read_openb("small", nodes, pods)
