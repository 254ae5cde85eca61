"""What NVIDIA's management library says of the real cards of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
import pynvml

from shoal.units.quantity import MIB

_NO_DRIVER: Final = (
    pynvml.NVML_ERROR_LIBRARY_NOT_FOUND,
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
    pynvml.NVML_ERROR_NO_PERMISSION,
)


class CardProcess(msgspec.Struct, frozen=True):
    """A process that holds memory of a card."""

    pid: int
    memory_mib: int


class RealCard(msgspec.Struct, frozen=True):
    """A card as the driver describes it; ``memory_mib`` is what programs can have in all."""

    uuid: str
    name: str
    memory_mib: int
    processes: tuple[CardProcess, ...] = ()


class NoDriverError(RuntimeError):
    """There is no NVIDIA driver to ask, or it does not answer; the message says which."""


def read_cards() -> list[RealCard]:
    """The cards in the driver's order. Raises NoDriverError."""
    with _library():
        return [_read(index) for index in range(pynvml.nvmlDeviceGetCount())]


@contextmanager
def _library() -> Iterator[None]:
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise NoDriverError(str(error)) from None
    try:
        yield
    except pynvml.NVMLError as error:
        raise NoDriverError(str(error)) from None
    finally:
        pynvml.nvmlShutdown()


def _read(index: int) -> RealCard:
    device = pynvml.nvmlDeviceGetHandleByIndex(index)
    memory = pynvml.nvmlDeviceGetMemoryInfo(device, pynvml.nvmlMemory_v2)
    return RealCard(
        uuid=_text(pynvml.nvmlDeviceGetUUID(device)),
        name=_text(pynvml.nvmlDeviceGetName(device)),
        memory_mib=(memory.total - memory.reserved) // MIB,
        processes=tuple(_processes(device)),
    )


def _processes(device: object) -> Iterator[CardProcess]:
    """A process may be listed as compute and as graphics at once; the same memory is meant."""
    used: dict[int, int] = {}
    for ask in (
        pynvml.nvmlDeviceGetComputeRunningProcesses,
        pynvml.nvmlDeviceGetGraphicsRunningProcesses,
    ):
        for process in ask(device):
            used[process.pid] = max(used.get(process.pid, 0), process.usedGpuMemory or 0)
    for pid, held in used.items():
        yield CardProcess(pid, -(-held // MIB))


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
