"""The environment by which replicas find each other."""

from shoal.core.rank import environment


def test_a_replica_counts_as_a_node_with_one_process():
    told = environment(2, 4, "127.0.0.1", 29500)
    assert (told["RANK"], told["NODE_RANK"], told["WORLD_SIZE"]) == ("2", "2", "4")
    assert (told["LOCAL_RANK"], told["LOCAL_WORLD_SIZE"]) == ("0", "1")
    assert (told["MASTER_ADDR"], told["MASTER_PORT"]) == ("127.0.0.1", "29500")


def test_every_variable_has_a_twin_of_ours():
    told = environment(0, 1, "10.0.0.7", 1)
    plain = {name: value for name, value in told.items() if not name.startswith("SHOAL_")}
    assert {f"SHOAL_{name}": value for name, value in plain.items()} == {
        name: value for name, value in told.items() if name.startswith("SHOAL_")
    }
