"""The largest amounts that an engine is told, far above what any machine has.

People may write any number. What is larger than all there is stays so when it is cut to these,
and the engine's sums stay within 64 bits.
"""

from typing import Final

from shoal.core.engine.spec import MOST_CARDS

MOST_HOST: Final = (1 << 31) - 1
"""mCPU or MiB of a node."""
MOST_ASKED: Final = MOST_HOST + 1
"""The same, of what a member asks for: no node has it."""
MOST_MIB: Final = 1 << 40
"""MiB of a card."""
MOST_MILLI: Final = 1 << 20
"""Milli-card of a card."""
MOST_COUNT: Final = MOST_CARDS + 1
"""Cards that one member asks for."""
