"""A snapshot holds what the folder held, and nothing that an ignore file names."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from shoal.api.snapshot import PREFIX, decode_manifest, object_path
from shoal.cli.errors import BadInput
from shoal.cli.snapshot import take
from shoal.cli.snapshot.store import Store
from shoal.cli.snapshot.walk import walk

NAMES = st.sampled_from(
    ["a", "b.py", "data", "build", "src", "x y", "ü", "-", "#c", "deep", "a.log"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
CONTENTS = st.binary(max_size=40)
SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read_back(home: Path, code: str) -> dict[str, tuple[str, object]]:
    """What a snapshot says, read by other means than it was written with."""
    name = code.removeprefix(PREFIX)
    found: dict[str, tuple[str, object]] = {}
    for entry in decode_manifest(object_path(home, name).read_bytes()):
        if entry.hash:
            content = object_path(home, entry.hash).read_bytes()
            found[entry.path] = ("file", (content, entry.mode))
        elif entry.link:
            found[entry.path] = ("link", entry.link)
        else:
            found[entry.path] = ("folder", entry.mode)
    return found


def look(folder: Path) -> dict[str, tuple[str, object]]:
    """What a folder holds."""
    found: dict[str, tuple[str, object]] = {}
    for path in folder.rglob("*"):
        mode = stat.S_IMODE(path.lstat().st_mode)
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))  # noqa: PTH115 - as it is
        elif path.is_dir():
            found[name] = ("folder", mode)
        else:
            found[name] = ("file", (path.read_bytes(), mode))
    return found


def plant(folder: Path, files: dict[str, bytes]) -> None:
    """Write files; a path that another one needs as its folder is left out."""
    for path, content in files.items():
        target = folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "code"
    made.mkdir()
    return made


@SETTINGS
@given(files=st.dictionaries(PATHS, CONTENTS, max_size=8), modes=st.sampled_from([0o644, 0o755]))
def test_what_is_read_back_is_what_the_folder_held(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], modes: int
) -> None:
    base = tmp_path_factory.mktemp("identity")
    folder = base / "code"
    folder.mkdir()
    plant(folder, files)
    (folder / "link").symlink_to("./a//../b.py")
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.chmod(modes)
    taken = take(folder, base / "home")
    assert read_back(base / "home", taken.code) == look(folder)
    assert taken.files == sum(kind == "file" for kind, _ in look(folder).values())


PATTERNS = st.sampled_from(
    """
    a|/a|a/|*.log|!a.log|data/*|!data/a|**/deep|src/**|b.py|build/|# a||!src/a|/data/b.py|[ab]*
    |d?ta|\\#c|x y|deep/**/a|/*|!/src
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)


@SETTINGS
@given(
    files=st.lists(PATHS, min_size=1, max_size=10, unique=True),
    top=st.lists(PATTERNS, max_size=5),
    inner=st.lists(PATTERNS, max_size=3),
)
@example(files=["a.log/x y/a"], top=["x y", "!a.log"], inner=[])
def test_git_ignore_files_mean_what_they_mean_to_git(
    tmp_path_factory: pytest.TempPathFactory, files: list[str], top: list[str], inner: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    plant(folder, dict.fromkeys(files, b"x"))
    (folder / ".gitignore").write_text("\n".join(top))
    if (folder / "src").is_dir():
        (folder / "src" / ".gitignore").write_text("\n".join(inner))
    listed = subprocess.run(
        ["git", "-c", "core.quotepath=off", "ls-files", "-z", "-c", "-o", "--exclude-standard"],
        cwd=folder,
        check=True,
        capture_output=True,
        env=os.environ | {"GIT_CONFIG_GLOBAL": "/dev/null"},
    )
    by_git = set(filter(None, listed.stdout.decode().split("\0")))
    ours = {one.path for one in walk(folder, folder / "no-home") if one.is_file}
    assert ours == by_git


def test_ignore_files_above_the_folder_count_inside_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.bin\n/part/top.txt\n")
    plant(tmp_path, {"part/a.bin": b"", "part/top.txt": b"", "part/kept.py": b""})
    assert {one.path for one in walk(tmp_path / "part", tmp_path / "h")} == {"kept.py"}


def test_shoalignore_rules_over_gitignore(folder: Path, home: Path) -> None:
    (folder / ".gitignore").write_text("weights.bin\n")
    (folder / ".shoalignore").write_text("!weights.bin\nscratch/\n")
    plant(folder, {"weights.bin": b"w", "scratch/x": b"", "main.py": b""})
    names = set(read_back(home, take(folder, home).code))
    assert names == {".gitignore", ".shoalignore", "weights.bin", "main.py"}


def test_git_and_the_home_of_the_box_are_never_part_of_it(folder: Path) -> None:
    home = folder / "box"
    plant(folder, {".git/config": b"", "sub/.git": b"gitdir: x", "main.py": b"", "box/token": b"s"})
    assert set(read_back(home, take(folder, home).code)) == {"main.py", "sub"}


def test_sockets_and_pipes_are_left_out(folder: Path, home: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "main.py").write_text("")
    assert set(read_back(home, take(folder, home).code)) == {"main.py"}


def test_the_same_folder_is_the_same_snapshot_and_is_not_written_again(
    folder: Path, home: Path
) -> None:
    plant(folder, {"a": b"one", "b": b"one"})
    first = take(folder, home)
    kept = {path: path.stat().st_mtime_ns for path in (home / "store" / "objects").rglob("*")}
    assert take(folder, home) == first
    assert kept == {
        path: path.stat().st_mtime_ns for path in (home / "store" / "objects").rglob("*")
    }
    assert len([path for path in kept if path.is_file()]) == 2  # one content, one manifest


def test_a_file_changed_in_place_is_a_new_snapshot_even_within_a_tick(
    folder: Path, home: Path
) -> None:
    file = folder / "a"
    file.write_bytes(b"one")
    told = file.stat()
    first = take(folder, home)
    file.write_bytes(b"two")
    os.utime(file, ns=(told.st_atime_ns, told.st_mtime_ns))
    assert take(folder, home).code != first.code


def test_a_content_that_is_gone_from_the_store_is_written_again(folder: Path, home: Path) -> None:
    plant(folder, {"a": b"one"})
    os.utime(folder / "a", (1, 1))
    first = take(folder, home)
    shutil.rmtree(home / "store" / "objects")
    again = take(folder, home)
    assert read_back(home, again.code) == look(folder)
    assert again == first


def test_a_large_file_is_kept_whole(folder: Path, home: Path) -> None:
    content = os.urandom(3 * 1024 * 1024 + 17)
    (folder / "weights").write_bytes(content)
    taken = take(folder, home)
    assert read_back(home, taken.code)["weights"][1] == (content, 0o644)
    assert not list((home / "store").glob(".*"))


def test_too_many_bytes_are_refused_with_the_largest_folder_and_a_remedy(
    folder: Path, home: Path
) -> None:
    (folder / "data").mkdir()
    with (folder / "data" / "images.bin").open("wb") as file:
        file.truncate(300 * 1024 * 1024)
    (folder / "main.py").write_text("")
    with pytest.raises(
        BadInput, match=r"more than 268 MB.*data alone holds.*data/ in .shoalignore"
    ):
        take(folder, home)
    (folder / ".shoalignore").write_text("data/\n")
    assert take(folder, home).files == 2


def test_too_many_files_are_refused(
    folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.cli.snapshot.walk.MOST_FILES", 20)
    plant(folder, {f"many/{n}": b"" for n in range(30)} | {"main.py": b""})
    with pytest.raises(BadInput, match=r"more than 20 files.*many alone holds.*--in-place"):
        take(folder, home)


def test_a_folder_that_is_not_there_is_named(folder: Path, home: Path) -> None:
    with pytest.raises(BadInput, match=r"code/gone.* is not a folder"):
        take(folder / "gone", home)


def test_a_file_that_cannot_be_read_is_named_with_a_remedy(
    folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Store, path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    (folder / "secret").write_text("")
    monkeypatch.setattr(Store, "put_file", refuse)
    with pytest.raises(BadInput, match=r"secret cannot be read.*denied.*\.shoalignore.*--in-place"):
        take(folder, home)


def test_a_name_that_is_no_text_is_told(folder: Path, home: Path) -> None:
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xff"))).write_text("")
    with pytest.raises(BadInput, match="no UTF-8 name"):
        take(folder, home)
