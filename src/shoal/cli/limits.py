"""What of a run's amounts is enforced, said wherever amounts are shown."""

from typing import Final

from shoal.api.run import RunSpec

CARD_MEMORY: Final = "memory limit: not enforced yet (accounted only)"
"""Of a share of a card: other programs rely on the accounts, not on a wall."""
CARD_MEMORY_SHORT: Final = "memory limit not enforced yet"


def say_host_amounts(spec: RunSpec) -> str:
    """``8 CPU · 32Gi memory``: what each replica gets of the machine; empty for nothing asked."""
    amounts = {"CPU": spec.cpu, "memory": spec.memory, "shared memory": spec.shm}
    return " · ".join(f"{amount} {what}" for what, amount in amounts.items() if amount != "")
