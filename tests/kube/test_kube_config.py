"""A kubeconfig is read whether JSON or YAML, and a bad one is refused in a sentence."""

import base64
from pathlib import Path

import msgspec
import pytest
import yaml

from shoal.kube.config import Config, load_config
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
        server="https://127.0.0.1:7470", token="secret", ca="PEM", namespace="lab"
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
