"""Finding out where control groups can be made, and making them."""

from pathlib import Path

from shoal.agent.ceilings import cpu_ceiling_milli, memory_ceiling_mib
from shoal.agent.cgroups import Cgroups, Limits, find_cgroups, remove_group
from shoal.agent.home import PodHome
from shoal.agent.podgroups import groups_of, make_groups, remove_groups


def process(tmp_path: Path, cgroup: str, mounts: dict[str, str]) -> Path:
    """A /proc/self: mounts are mount points by their type and options."""
    proc = tmp_path / "proc"
    proc.mkdir()
    (proc / "cgroup").write_text(cgroup)
    lines = [
        f"31 23 0:28 / {point} rw - {kind.replace(':', ' cgroup rw,', 1)}"
        if ":" in kind
        else f"31 23 0:28 / {point} rw - {kind} {kind} rw"
        for kind, point in mounts.items()
    ]
    (proc / "mountinfo").write_text("\n".join(lines))
    return proc


def unified(tmp_path: Path, own: str) -> tuple[Path, Path]:
    root = tmp_path / "fs"
    (root / own.lstrip("/")).mkdir(parents=True)
    for folder in (root, *root.rglob("*")):
        (folder / "cgroup.procs").touch()
        (folder / "cgroup.subtree_control").write_text("")
    return process(tmp_path, f"0::{own}\n", {"cgroup2": str(root)}), root


def test_version_2_takes_the_nearest_group_that_hands_controllers_down(tmp_path: Path):
    proc, root = unified(tmp_path, "/user/app/shell")
    (root / "user" / "cgroup.subtree_control").write_text("cpu memory pids")
    (root / "cgroup.subtree_control").write_text("cpu memory pids")
    found = find_cgroups(proc)
    assert (found.version, found.why) == (2, "")
    assert set(found.bases.values()) == {root / "user"}


def test_version_2_that_hands_down_only_some_says_what_does_not_hold(tmp_path: Path):
    proc, root = unified(tmp_path, "/user/app")
    (root / "user" / "cgroup.subtree_control").write_text("memory pids")
    found = find_cgroups(proc)
    assert found.why == "cpu limits do not hold here: cgroup v2 is not delegated to this user"
    assert set(found.bases) == {"memory", "pids"}


def test_version_2_without_delegation(tmp_path: Path):
    proc, _ = unified(tmp_path, "/user/app")
    found = find_cgroups(proc)
    assert found.bases == {}
    assert found.why.startswith("memory and cpu limits do not hold here")


def test_a_machine_without_control_groups(tmp_path: Path):
    assert find_cgroups(tmp_path / "nothing").why


def test_version_1_is_made_below_the_agents_own_groups(tmp_path: Path):
    memory, cpu = tmp_path / "m", tmp_path / "c"
    (memory / "jobs").mkdir(parents=True)
    cpu.mkdir()
    proc = process(
        tmp_path,
        "4:memory:/jobs\n1:cpu,cpuacct:/\n0::/\n",
        {"cgroup:memory": str(memory), "cgroup:cpu,cpuacct": str(cpu)},
    )
    found = find_cgroups(proc)
    assert (found.version, found.why) == (1, "")
    assert found.bases == {"memory": memory / "jobs", "cpu": cpu}


def test_limits_are_written_as_the_kernel_reads_them(tmp_path: Path):
    groups = Cgroups(dict.fromkeys(("memory", "cpu", "pids"), tmp_path), 2)
    folder = tmp_path / "shoal-uid-main"
    folder.mkdir()
    files = ("memory.max", "memory.swap.max", "cpu.max", "pids.max")
    for name in files:
        (folder / name).write_text("max")
    group = groups.make("uid", "main", Limits(cpu_milli=1500, memory_bytes=1 << 30))
    assert [(folder / name).read_text() for name in files[:3]] == [
        "1073741824",
        "0",
        "150000 100000",
    ]
    assert group.procs == [folder / "cgroup.procs"]
    assert group.oom_file == folder / "memory.events"


def test_limits_beyond_what_the_kernel_counts_are_the_most_that_it_does(tmp_path: Path):
    groups = Cgroups(dict.fromkeys(("memory", "cpu"), tmp_path), 2)
    folder = tmp_path / "shoal-uid-main"
    folder.mkdir()
    for name in ("memory.max", "cpu.max"):
        (folder / name).write_text("max")
    groups.make("uid", "main", Limits(cpu_milli=10**18, memory_bytes=2**64 + 4096))
    assert (folder / "memory.max").read_text() == str(2**63 - 1)
    assert (folder / "cpu.max").read_text() == f"{2**44 - 1} 100000"


def test_no_limit_leaves_the_kernels_own(tmp_path: Path):
    groups = Cgroups({"cpu": tmp_path}, 2)
    (tmp_path / "shoal-uid-main").mkdir()
    (tmp_path / "shoal-uid-main" / "cpu.max").write_text("max")
    assert groups.make("uid", "main", Limits()).oom_file is None
    assert (tmp_path / "shoal-uid-main" / "cpu.max").read_text() == "max"


def test_groups_go_with_their_pod_and_no_other(tmp_path: Path):
    groups = Cgroups({"pids": tmp_path}, 1)
    for uid, container in (("a", "main"), ("a", "side"), ("b", "main")):
        groups.make(uid, container, Limits())
    (tmp_path / "shoal-a-main" / "of-the-program").mkdir()
    for folder in groups.of("a"):
        remove_group(folder)
    assert [folder.name for folder in tmp_path.iterdir()] == ["shoal-b-main"]


def test_groups_are_found_by_what_the_pods_folder_says(tmp_path: Path):
    former, now = tmp_path / "former", tmp_path / "now"
    home = PodHome(tmp_path / "pods" / "a")
    for folder in (former, now, home.root):
        folder.mkdir(parents=True)
    make_groups(Cgroups({"pids": former}, 1), home, "main", Limits())
    make_groups(Cgroups({"pids": now}, 1), home, "main", Limits())
    with (home.root / "groups").open("a") as file:
        file.write("/sys/fs/cgroup\n\n\0shoal-b-main\n")
    mine = [former / "shoal-a-main", now / "shoal-a-main"]
    assert groups_of(Cgroups({}, 1), home) == mine
    remove_groups(mine)
    assert [*former.iterdir(), *now.iterdir()] == []


def test_a_container_has_what_its_groups_leave_of_the_machine(tmp_path: Path):
    proc, root = unified(tmp_path, "/box/shell")
    (root / "box" / "memory.max").write_text(f"{8 << 30}\n")
    (root / "box" / "shell" / "memory.max").write_text("max\n")
    (root / "box" / "cpu.max").write_text("250000 100000\n")
    assert memory_ceiling_mib(proc) == 8192
    assert cpu_ceiling_milli(proc, 16) == 2500
    assert cpu_ceiling_milli(proc, 2) == 2000


def test_version_1_has_its_own_words_for_it(tmp_path: Path):
    (tmp_path / "memory.stat").write_text(f"cache 0\nhierarchical_memory_limit {1 << 30}\n")
    (tmp_path / "cpu.cfs_quota_us").write_text("150000\n")
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    mounts = {"cgroup:memory": str(tmp_path), "cgroup:cpu": str(tmp_path)}
    proc = process(tmp_path, "4:memory:/\n1:cpu:/\n", mounts)
    assert memory_ceiling_mib(proc) == 1024
    assert cpu_ceiling_milli(proc, 16) == 1500


def test_a_machine_without_groups_has_all_of_itself(tmp_path: Path):
    assert memory_ceiling_mib(tmp_path) > 1 << 30
    assert cpu_ceiling_milli(tmp_path, 3) == 3000
