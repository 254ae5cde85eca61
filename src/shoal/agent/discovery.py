"""Which cards this node offers: real ones by NVML, or simulated ones where asked for."""

from collections.abc import Callable
from pathlib import Path

from shoal.agent import nvml
from shoal.agent.models import short_model
from shoal.agent.nvml import NoDriverError, RealCard
from shoal.agent.processes import belongs_to_shoal
from shoal.agent.simulated import simulated_cards
from shoal.core.event import Card

Reader = Callable[[], list[RealCard]]


def discover_cards(gpus: str, home: Path, read: Reader = nvml.read_cards) -> list[Card]:
    """The cards to offer; none where there is no driver. Raises UnitError for a wrong text."""
    if gpus:
        return simulated_cards(gpus, home)
    try:
        real = read()
    except NoDriverError:
        return []
    return [_offer(index, card) for index, card in enumerate(real)]


def count_real_cards() -> int:
    """How many cards the driver sees. Raises NoDriverError, which says why it sees none."""
    return len(nvml.read_cards())


def _offer(index: int, card: RealCard) -> Card:
    """What programs that are not shoal's hold on a card is not there to be shared."""
    foreign = sum(p.memory_mib for p in card.processes if not belongs_to_shoal(p.pid))
    left = max(card.memory_mib - foreign, 0)
    return Card(f"gpu-{index}", short_model(card.name), left, card.uuid)
