"""The table of worths: how much of a card is expected to stay idle, and how gains are told apart.

Rows are residues of a card in steps of 10 milli, columns slices of CPU in steps of half a core up
to 40; see ``native/placement/worth.h``.
"""

from typing import Final

WORTH_UNIT: Final = 64
"""Parts of a milli-card in which worth is counted."""
WORTH_ROWS: Final = 101
WORTH_MILLI: Final = 10
"""From one row to the next."""
WORTH_COLUMNS: Final = 81
WORTH_MCPU: Final = 500
"""From one column to the next."""
WORTH_CELLS: Final = WORTH_ROWS * WORTH_COLUMNS
PRIOR_STEP: Final = 20 * WORTH_UNIT
"""Gains by the table in closed form are told apart by this much."""
LEARNT_STEP: Final = 5 * WORTH_UNIT
"""Gains by a table that was learnt are."""
