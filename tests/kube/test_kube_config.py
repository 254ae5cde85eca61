"""A kubeconfig is read whether JSON or YAML, and a bad one is refused in a sentence."""

import base64
from pathlib import Path

import msgspec
import pytest
import yaml

from shoal.kube.blocking import BlockingClient
from shoal.kube.client import Client
from shoal.kube.config import Config, home_path, load_config
from shoal.kube.errors import KubeconfigError

FILE = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "box",
    "clusters": [
        {
            "name": "c",
            "cluster": {
                "server": "https://127.0.0.1:7470/",
                "certificate-authority-data": base64.b64encode(b"PEM").decode(),
            },
        }
    ],
    "users": [{"name": "u", "user": {"token": "secret"}}],
    "contexts": [{"name": "box", "context": {"cluster": "c", "user": "u", "namespace": "lab"}}],
}


@pytest.mark.parametrize("encode", [msgspec.json.encode, lambda f: yaml.safe_dump(f).encode()])
def test_both_spellings_mean_the_same(tmp_path: Path, encode: object) -> None:
    path = tmp_path / "kubeconfig"
    path.write_bytes(encode(FILE))  # type: ignore[operator]
    assert load_config(path) == Config(
        server="https://127.0.0.1:7470", token="secret", ca="PEM", path=path, namespace="lab"
    )


def test_no_file_means_no_box(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError, match="shoal up"):
        load_config(tmp_path / "kubeconfig")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"a: [", b"\xff\xfe", msgspec.json.encode(FILE | {"users": []})]
)
def test_a_damaged_file_is_refused_without_a_traceback(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "kubeconfig"
    path.write_bytes(content)
    with pytest.raises(KubeconfigError, match="cannot be used") as refusal:
        load_config(path)
    assert "secret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_broken_yaml_is_told_in_one_line_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text("apiVersion: v1\nclusters: [\nusers: }\n")
    with pytest.raises(KubeconfigError) as refusal:
        load_config(path)
    assert str(refusal.value) == (
        f"{path} cannot be used (it is no YAML in line 3); "
        "restart the box to have it written anew: shoal down, shoal up"
    )


def test_a_home_that_is_a_file_is_told_with_another_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.write_text("")
    monkeypatch.setenv("SHOAL_HOME", str(home))
    with pytest.raises(KubeconfigError) as refusal:
        load_config()
    assert str(refusal.value) == (
        f"{home} is no folder, so no box can live there; "
        "name another one: export SHOAL_HOME=~/.shoal"
    )


def test_a_relative_home_is_taken_from_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOAL_HOME", "box")
    assert home_path() == tmp_path / "box"


@pytest.mark.parametrize("data", ["@@@", base64.b64encode(b"\xff").decode()])
def test_an_authority_that_cannot_be_decoded_is_told(tmp_path: Path, data: str) -> None:
    cluster = FILE["clusters"][0]["cluster"] | {"certificate-authority-data": data}  # type: ignore[index]
    path = tmp_path / "kubeconfig"
    path.write_bytes(msgspec.json.encode(FILE | {"clusters": [{"name": "c", "cluster": cluster}]}))
    with pytest.raises(KubeconfigError, match="its certificate authority cannot be read"):
        load_config(path)


@pytest.mark.parametrize("authority", ["PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
async def test_an_authority_that_is_no_certificate_is_told_by_both_clients(
    tmp_path: Path, authority: str
) -> None:
    config = Config("https://127.0.0.1:1", "t", authority, tmp_path / "kubeconfig")
    with pytest.raises(KubeconfigError, match="is no certificate"):
        BlockingClient(config)
    with pytest.raises(KubeconfigError, match="is no certificate"):
        async with Client(config):
            pass
