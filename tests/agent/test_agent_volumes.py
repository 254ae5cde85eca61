"""Volumes and environment of process pods."""

import base64
from pathlib import Path

from tests.agent.box import Box, state

from shoal.api.kinds import CONFIG_MAPS, SECRETS


def mounted(volume: dict[str, object], path: str, **mount: object) -> dict[str, object]:
    mounts = [{"name": "vol", "mountPath": path, **mount}]
    return {"main": {"volumeMounts": mounts}, "volumes": [{"name": "vol", **volume}]}


async def put(box: Box, kind, name: str, **fields: object) -> None:
    obj = {"apiVersion": "v1", "kind": kind.name, "metadata": {"name": name}, **fields}
    await box.client.create(kind, obj, box.namespace)


async def test_a_config_map_is_a_folder_of_files(box: Box):
    binary = base64.b64encode(b"\0\1").decode()
    await put(box, CONFIG_MAPS, "settings", data={"lr": "0.1"}, binaryData={"blob": binary})
    volume = {"configMap": {"name": "settings"}}
    await box.create("reads", "cat conf/lr; wc -c < conf/blob", **mounted(volume, "conf"))
    await box.ended("reads")
    assert await box.logs("reads") == "0.12\n"


async def test_a_secret_is_for_its_user_alone(box: Box):
    secret = {"key": base64.b64encode(b"hush").decode()}
    await put(box, SECRETS, "keys", data=secret)
    volume = {"secret": {"secretName": "keys", "items": [{"key": "key", "path": "sub/api"}]}}
    show = "cat k/sub/api; stat -L -c ' %a' k k/sub/api"
    await box.create("hushed", show, **mounted(volume, "k"))
    await box.ended("hushed")
    assert await box.logs("hushed") == "hush 700\n 600\n"


async def test_an_empty_dir_is_shared_by_the_containers_of_a_pod(box: Box):
    mount = {"volumeMounts": [{"name": "vol", "mountPath": "shared/a"}]}
    init = {
        "name": "first",
        "image": "host",
        "command": ["sh", "-c", "echo hi > $SHOAL_MOUNT_VOL/x"],
    }
    await box.create(
        "shares",
        "cat shared/a/x",
        initContainers=[init | mount],
        main=mount,
        volumes=[{"name": "vol", "emptyDir": {}}],
    )
    assert (await box.ended("shares")).status.phase == "Succeeded"
    assert await box.logs("shares") == "hi\n"


async def test_a_host_path_at_its_own_path_needs_nothing(box: Box, tmp_path: Path):
    (tmp_path / "data").write_text("rows")
    volume = {"hostPath": {"path": str(tmp_path)}}
    await box.create("own", f"cat {tmp_path}/data", **mounted(volume, str(tmp_path)))
    await box.ended("own")
    assert await box.logs("own") == "rows"


async def test_shared_memory_is_the_machines_own(box: Box):
    volume = {"emptyDir": {"medium": "Memory"}}
    await box.create("shm", "echo $SHOAL_MOUNT_VOL", **mounted(volume, "/dev/shm"))
    await box.ended("shm")
    assert await box.logs("shm") == "/dev/shm\n"


async def test_any_other_volume_in_memory_is_a_folder_of_the_pods_own(box: Box):
    volume = {"emptyDir": {"medium": "Memory"}}
    pod = await box.create("mem", "readlink cache", **mounted(volume, "cache"))
    await box.ended("mem")
    assert await box.logs("mem") == f"{box.home.pod(pod.metadata.uid).volume('vol')}\n"


async def test_the_volume_of_a_service_account_is_left_out(box: Box):
    token = {"serviceAccountToken": {"path": "token"}}
    place = "/var/run/secrets/kubernetes.io/serviceaccount"
    volume = {"projected": {"sources": [token]}}
    await box.create("account", "env | grep -c SHOAL_MOUNT", **mounted(volume, place))
    await box.ended("account")
    assert await box.logs("account") == "0\n"


async def test_a_projected_volume_elsewhere_is_refused(box: Box):
    await box.create("projected", "true", **mounted({"projected": {"sources": []}}, "here"))
    assert "takes emptyDir" in (await box.ended("projected")).status.message


async def test_a_mount_that_would_show_in_the_machines_own_tree_is_refused(
    box: Box, tmp_path: Path
):
    place = tmp_path / "not-there"
    await box.create("intrudes", **mounted({"emptyDir": {}}, str(place)))
    pod = await box.ended("intrudes")
    assert (pod.status.phase, pod.status.reason) == ("Failed", "VolumeUnavailable")
    assert pod.status.message == (
        f"volumeMount vol: a process cannot have a mount at {place}; use a path relative to its "
        "working folder (mountPath: vol), also told as $SHOAL_MOUNT_VOL"
    )
    ended = state(pod).terminated
    assert (ended.exit_code, ended.reason, ended.message) == (128, "StartError", pod.status.message)
    assert ended.started_at is None
    assert not place.exists()


async def test_a_mount_cannot_climb_out_of_its_volume(box: Box):
    await box.create("climbs", **mounted({"emptyDir": {}}, "in", subPath="../../../x"))
    assert "must stay inside the volume" in (await box.ended("climbs")).status.message


async def test_a_folder_that_is_not_there_fails_the_pod_with_its_name(box: Box):
    await box.create("nodata", **mounted({"hostPath": {"path": "/no/data"}}, "data"))
    pod = await box.ended("nodata")
    assert pod.status.message == "volume vol: /no/data does not exist on this machine"


async def test_a_missing_config_map_is_waited_for(box: Box):
    source = {"configMapRef": {"name": "later"}}
    await box.create("patient", "echo $MODE", main={"envFrom": [source]})
    pod = await box.pod_that(
        "patient", lambda pod: state(pod).waiting and state(pod).waiting.message
    )
    assert state(pod).waiting.reason == "CreateContainerConfigError"
    assert state(pod).waiting.message.startswith("config map later does not exist")
    await put(box, CONFIG_MAPS, "later", data={"MODE": "fast"})
    await box.ended("patient")
    assert await box.logs("patient") == "fast\n"


async def test_environment_comes_from_everywhere_and_later_wins(box: Box):
    await put(box, CONFIG_MAPS, "env", data={"A": "map", "B": "map"})
    await put(box, SECRETS, "sec", data={"S": base64.b64encode(b"quiet").decode()})
    variables = [
        {"name": "B", "value": "own"},
        {"name": "C", "value": "$(P_A)-$(B)-$(NONE)-$$(B)"},
        {"name": "S", "valueFrom": {"secretKeyRef": {"name": "sec", "key": "S"}}},
        {"name": "O", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y", "optional": True}}},
        {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "TEAM", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['team']"}}},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    ]
    main = {"env": variables, "envFrom": [{"prefix": "P_", "configMapRef": {"name": "env"}}]}
    show = "echo $P_A $B $C $S ${O-unset} $POD $TEAM $NODE"
    await box.create("env", show, main=main, meta={"labels": {"team": "vision"}})
    await box.ended("env")
    assert await box.logs("env") == (
        f"map own map-own-$(NONE)-$(B) quiet unset env vision {box.node}\n"
    )


async def test_arguments_know_the_environment(box: Box):
    main = {"env": [{"name": "WHO", "value": "you"}], "args": ["hello", "$(WHO)"]}
    await box.create("args", ["echo"], main=main)
    await box.ended("args")
    assert await box.logs("args") == "hello you\n"


async def test_a_field_that_is_not_supported_fails_the_pod(box: Box):
    variable = {"name": "X", "valueFrom": {"fieldRef": {"fieldPath": "spec.serviceAccountName"}}}
    await box.create("field", main={"env": [variable]})
    assert "spec.serviceAccountName is not supported" in (await box.ended("field")).status.message


async def test_each_pod_has_its_own_temporary_folder_and_it_goes_with_the_pod(box: Box):
    await box.create("tmp", "echo $TMPDIR; touch $TMPDIR/x")
    await box.ended("tmp")
    folder = Path((await box.logs("tmp")).strip())
    assert (folder / "x").exists()
    await box.delete("tmp")
    await box.until(lambda: not folder.exists(), "its temporary folder to go")


async def test_a_pod_without_a_command_says_so(box: Box):
    await box.create("mute", [])
    pod = await box.ended("mute")
    assert pod.status.message.startswith("container main has no command")
