"""Card models that can be simulated, and how a driver's names of models are shortened."""

import re
from typing import Final

MEMORY_MIB: Final[dict[str, int]] = {
    "A10": 23028,
    "A100-40GB": 40960,
    "A100-80GB": 81920,
    "A30": 24576,
    "A40": 46068,
    "B200": 183359,
    "H100-80GB": 81559,
    "H20": 97871,
    "H200": 143771,
    "L4": 23034,
    "L40S": 46068,
    "P100-16GB": 16384,
    "RTX3090": 24576,
    "RTX4090": 24564,
    "RTX5090": 32607,
    "T4": 15360,
    "V100-16GB": 16384,
    "V100-32GB": 32768,
}
"""Memory of a card in MiB, as the driver reports it."""

_MAKERS: Final = {"nvidia", "tesla", "geforce", "quadro"}
_FORM: Final = re.compile(r"(sxm|pcie|hbm|nvl|mezz)\w*\Z", re.IGNORECASE)


def short_model(name: str) -> str:
    """``NVIDIA A100-SXM4-80GB`` is an ``A100-80GB``, ``GeForce RTX 4090`` an ``RTX4090``.

    The maker, the series and the form factor say nothing about what fits on a card.
    """
    words = [word for word in re.split(r"[\s-]+", name) if word]
    kept = [w for w in words if w.lower() not in _MAKERS and not _FORM.match(w)]
    return re.sub(r"^(RTX|GTX)-(?=\d)", r"\1", "-".join(kept)) or name
