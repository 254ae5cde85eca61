"""The environment by which the replicas of a run find each other.

A replica counts as a node with one process on it, which is what ``torchrun``'s variables say
of it: https://pytorch.org/docs/stable/elastic/run.html#environment-variables
"""


def environment(rank: int, world: int, address: str, port: int) -> dict[str, str]:
    """The variables of one replica, each also under its ``SHOAL_`` twin.

    ``rank`` is 0 to ``world`` - 1; ``address`` and ``port`` are where rank 0 is met.
    """
    assert 0 <= rank < world, f"rank {rank} of {world}"
    plain = {
        "RANK": str(rank),
        "NODE_RANK": str(rank),
        "WORLD_SIZE": str(world),
        "LOCAL_RANK": "0",
        "LOCAL_WORLD_SIZE": "1",
        "MASTER_ADDR": address,
        "MASTER_PORT": str(port),
    }
    return plain | {f"SHOAL_{name}": value for name, value in plain.items()}
