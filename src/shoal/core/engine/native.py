"""The compiled engine: ``native/placement``, called through ctypes.

Every call is one C function on this engine's own memory, without the interpreter's lock. An
engine is used by one thread at a time.
"""

import ctypes
import weakref
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_uint64, c_void_p
from functools import lru_cache
from typing import Final

from shoal.core.engine.policy import Policy, gradient_steps
from shoal.core.engine.reserves import Reserve, reserves_of
from shoal.core.engine.spec import (
    MOST_CARDS,
    Ask,
    Busy,
    CardLeft,
    Lack,
    Most,
    NodeLeft,
    NodeSpec,
    Place,
    Survey,
    Work,
)
from shoal.core.engine.worth import LEARNT_STEP, PRIOR_STEP, WORTH_CELLS
from shoal.units.built import built

_INTS = POINTER(c_int32)
_LONGS = POINTER(c_int64)
_ASK: Final = (c_int64, c_int64, c_int32, c_int32, c_int64, c_int32, c_int32)
"""CPU, memory, cards, milli and MiB of each, level, one NUMA node."""
_SIGNATURES: Final = {
    "engine_new": (c_void_p, [c_int32]),
    "engine_free": (None, [c_void_p]),
    "put_node": (None, [c_void_p, c_int32, c_int64, c_int64, c_int32, c_int32, c_int32]),
    "put_card": (None, [c_void_p, c_int32, c_int32, c_int32, c_int64, c_int32, c_int32]),
    "drop_node": (None, [c_void_p, c_int32]),
    "put_kind": (None, [c_void_p, c_int32, c_int32, c_int32, _INTS]),
    "put_class": (
        None,
        [c_void_p, c_int32, *_ASK, c_char_p],
    ),
    "put_suits": (None, [c_void_p, c_int32, c_char_p, c_int32]),
    "put_suit": (None, [c_void_p, c_int32, c_int32, c_int32]),
    "drop_class": (None, [c_void_p, c_int32]),
    "set_policy": (None, [c_void_p, c_int32, _LONGS, c_int32]),
    "set_seed": (None, [c_void_p, c_uint64]),
    "set_work": (
        None,
        [c_void_p, c_int32, _LONGS, _INTS, _INTS, _LONGS, c_char_p],
    ),
    "set_prior": (None, [c_void_p, c_int64]),
    "set_worth": (None, [c_void_p, _INTS, c_int64]),
    "set_reserves": (None, [c_void_p, c_int32, _LONGS, c_char_p]),
    "checkpoint": (c_int64, [c_void_p]),
    "rollback": (None, [c_void_p, c_int64]),
    "commit": (None, [c_void_p]),
    "take_card": (None, [c_void_p, c_int32, c_int32, c_int64, c_int64, c_int32, c_int32]),
    "take_node": (None, [c_void_p, c_int32, c_int64, c_int64]),
    "best": (c_int32, [c_void_p, c_int32, POINTER(c_uint64)]),
    "best_of": (c_int32, [c_void_p, _INTS, c_int32, _INTS, POINTER(c_uint64)]),
    "best_on": (c_int32, [c_void_p, c_int32, c_int32, POINTER(c_uint64)]),
    "take": (None, [c_void_p, c_int32, c_int32, c_uint64, c_int32]),
    "place": (c_int32, [c_void_p, _INTS, c_int32, c_int32, _INTS, POINTER(c_uint64)]),
    "place_one": (c_int32, [c_void_p, c_int32, POINTER(c_uint64)]),
    "run_noted": (c_int32, [c_void_p, _INTS, c_int32]),
    "sum_visits": (None, [c_void_p, POINTER(c_double), POINTER(c_double)]),
    "fill": (c_int32, [c_void_p, c_int32, _INTS, _INTS, c_int32, c_int32, POINTER(c_uint64)]),
    "count_members": (None, [c_void_p, c_int32, c_int32, _INTS]),
    "set_rank": (None, [c_void_p, c_int32, c_int32]),
    "set_models": (None, [c_void_p, c_int32]),
    "survey": (None, [c_void_p, c_int32, _LONGS]),
    "easiest": (c_int32, [c_void_p, c_int32, c_int32, c_int32, c_void_p]),
    "total": (c_int64, [c_void_p, c_int32, c_int32]),
    "best_nodes": (c_int32, [c_void_p, c_int32, c_int32, _INTS]),
    "position": (c_int64, [c_void_p]),
    "touched_since": (c_int32, [c_void_p, c_int64, _INTS]),
    "tally": (None, [c_void_p, c_int32, _INTS]),
    "node_left": (c_int32, [c_void_p, c_int32, _LONGS]),
    "evaluations": (c_int64, [c_void_p]),
}


class _Busy(ctypes.Structure):
    _fields_ = [("held", c_int64), ("node", c_int32), ("card", c_int32)]


_MOSTS: Final = range(4, 19, 3)
_SURVEY: Final = 25
"""Numbers that a survey is told in, and where in them each of the most begins."""


class NativeEngine:
    """The compiled engine; see ``Engine`` for what each method does."""

    def __init__(self, models: int) -> None:
        """``models`` is how many numbers of card models there are."""
        self._c = _library()
        self._models = models
        self._handle = self._c.engine_new(models)
        weakref.finalize(self, self._c.engine_free, self._handle)
        self._kinds: dict[tuple[object, ...], int] = {}
        self._nodes = 0
        self._mask = c_uint64()
        self._mask_at = byref(self._mask)
        self._works: Sequence[Work] = ()
        self._policy = Policy.BINPACK

    def put_node(self, node: int, spec: NodeSpec, rank: int) -> None:
        kind = self._kind(spec)
        cards = spec.cards
        assert len(cards) <= MOST_CARDS, f"{len(cards)} cards; a node has at most {MOST_CARDS}"
        self._nodes = max(self._nodes, node + 1)
        self._c.put_node(self._handle, node, spec.cpu, spec.memory, len(cards), rank, kind)
        for at, card in enumerate(cards):
            assert 0 <= card.model < self._models
            self._c.put_card(self._handle, node, at, card.model, card.mib, card.numa, card.flags)

    def set_rank(self, node: int, rank: int) -> None:
        self._c.set_rank(self._handle, node, rank)

    def set_models(self, models: int) -> None:
        self._c.set_models(self._handle, models)
        self._models = models
        if self._works:
            self.set_work(self._works)

    def drop_node(self, node: int) -> None:
        self._c.drop_node(self._handle, node)

    def put_class(self, number: int, ask: Ask, suits: Sequence[int]) -> None:
        allowed = self._allowed(ask.models)
        self._c.put_class(
            self._handle, number, ask.cpu, ask.memory, ask.count, ask.milli, ask.mib,
            ask.level, ask.one_numa, allowed,
        )  # fmt: skip
        self._c.put_suits(self._handle, number, bytes(suits), len(suits))

    def drop_class(self, number: int) -> None:
        self._c.drop_class(self._handle, number)

    def suit(self, number: int, node: int, suits: bool) -> None:
        self._c.put_suit(self._handle, number, node, suits)

    def set_policy(self, policy: Policy) -> None:
        self._policy = policy
        self._rank()

    def set_work(self, works: Sequence[Work]) -> None:
        self._works = works
        asks = [work.ask for work in works]
        self._c.set_work(
            self._handle,
            len(works),
            _longs([ask.cpu for ask in asks]),
            _ints([ask.count for ask in asks]),
            _ints([ask.milli for ask in asks]),
            _longs([work.weight for work in works]),
            b"".join(self._allowed(ask.models) for ask in asks),
        )
        self._rank()

    def set_seed(self, seed: int) -> None:
        self._c.set_seed(self._handle, seed)

    def checkpoint(self) -> int:
        return int(self._c.checkpoint(self._handle))

    def rollback(self, checkpoint: int) -> None:
        self._c.rollback(self._handle, checkpoint)

    def commit(self) -> None:
        self._c.commit(self._handle)

    def take_card(
        self, node: int, card: int, milli: int, mib: int, *, users: int = 1, barred: int = 0
    ) -> None:
        self._c.take_card(self._handle, node, card, milli, mib, users, barred)

    def take_node(self, node: int, cpu: int, memory: int) -> None:
        self._c.take_node(self._handle, node, cpu, memory)

    def best(self, number: int) -> Place | None:
        node = self._c.best(self._handle, number, self._mask_at)
        return None if node < 0 else Place(node, self._mask.value)

    def best_of(self, numbers: Sequence[int]) -> tuple[int, Place] | None:
        which = c_int32()
        node = self._c.best_of(
            self._handle, _ints(numbers), len(numbers), byref(which), self._mask_at
        )
        return None if node < 0 else (which.value, Place(node, self._mask.value))

    def best_on(self, number: int, node: int) -> Place | None:
        fits = self._c.best_on(self._handle, number, node, self._mask_at)
        return Place(node, self._mask.value) if fits else None

    def take(self, number: int, place: Place, *, bar: bool = False) -> None:
        self._c.take(self._handle, number, place.node, place.cards, bar)

    def place(self, numbers: Sequence[int], *, apart: bool) -> list[Place]:
        count = len(numbers)
        nodes, cards = (c_int32 * count)(), (c_uint64 * count)()
        placed = self._c.place(self._handle, _ints(numbers), count, apart, nodes, cards)
        return [Place(nodes[at], cards[at]) for at in range(placed)]

    def place_one(self, number: int) -> Place | None:
        node = self._c.place_one(self._handle, number, self._mask_at)
        return None if node < 0 else Place(node, self._mask.value)

    def fill(self, number: int, deal: Sequence[tuple[int, int]], *, apart: bool) -> list[Place]:
        nodes, counts = [node for node, _ in deal], [count for _, count in deal]
        cards = (c_uint64 * sum(counts))()
        placed = self._c.fill(
            self._handle, number, _ints(nodes), _ints(counts), len(deal), apart, cards
        )
        dealt = (node for node, count in deal for _ in range(count))
        return list(map(Place, dealt, cards[:placed]))

    def members(self, number: int, *, apart: bool) -> list[int]:
        members = (c_int32 * max(self._nodes, 1))()
        self._c.count_members(self._handle, number, apart, members)
        return list(members)[: self._nodes]

    def total(self, number: int, *, apart: bool) -> int:
        return int(self._c.total(self._handle, number, apart))

    def best_nodes(self, number: int, most: int) -> list[int]:
        nodes = (c_int32 * most)()
        return nodes[: self._c.best_nodes(self._handle, number, most, nodes)]

    def survey(self, number: int) -> Survey:
        told = (c_int64 * _SURVEY)()
        self._c.survey(self._handle, number, told)
        mosts = (Most(*told[at : at + 3]) for at in _MOSTS)
        return Survey._make([*told[: _MOSTS.start], *mosts, *told[_MOSTS.stop :]])

    def easiest(self, number: int, most: int, *, node: int = -1) -> list[Busy]:
        busy = (_Busy * most)()
        count = self._c.easiest(self._handle, number, node, most, busy)
        return [Busy(one.held, one.node, one.card) for one in busy[:count]]

    def position(self) -> int:
        return int(self._c.position(self._handle))

    def touched_since(self, position: int) -> list[int] | None:
        nodes = (c_int32 * max(self._nodes, 1))()
        count = self._c.touched_since(self._handle, position, nodes)
        return None if count < 0 else nodes[:count]

    def tally(self, number: int) -> dict[Lack, int]:
        lacks = (c_int32 * len(Lack))()
        self._c.tally(self._handle, number, lacks)
        return {lack: lacks[lack] for lack in Lack}

    def left(self, node: int) -> NodeLeft | None:
        told = (c_int64 * (2 + 4 * MOST_CARDS))()
        cards = self._c.node_left(self._handle, node, told)
        if cards < 0:
            return None
        each = (CardLeft(*told[at : at + 4]) for at in range(2, 2 + 4 * cards, 4))
        return NodeLeft(told[0], told[1], tuple(each))

    def run_noted(self, numbers: Sequence[int]) -> int:
        """Place one of each class after the other, for good; how many had a place.

        The states that cards go through are noted for ``visits``.
        """
        return int(self._c.run_noted(self._handle, _ints(numbers), len(numbers)))

    def visits(self) -> tuple[list[float], list[float]]:
        """By cell of the table of worths: what is left now of cards that were in it; how often."""
        sums, counts = (c_double * WORTH_CELLS)(), (c_double * WORTH_CELLS)()
        self._c.sum_visits(self._handle, sums, counts)
        return list(sums), list(counts)

    def evaluations(self) -> int:
        """How often a class was looked at on a node, for benchmarks."""
        return int(self._c.evaluations(self._handle))

    def _rank(self) -> None:
        quantised = self._policy in (Policy.FRAGMENTATION, Policy.FGD_PUBLISHED)
        total = sum(work.weight for work in self._works)
        steps = gradient_steps(total) if quantised and total else []
        self._c.set_policy(self._handle, self._policy.number, _longs(steps), len(steps))
        if self._policy is Policy.IDLE_VALUE:
            self._c.set_prior(self._handle, PRIOR_STEP)
            self._reserve(reserves_of(self._works))

    def set_worth(self, worth: Sequence[int]) -> None:
        """A learnt table of worths instead of the one in closed form."""
        self._c.set_worth(self._handle, _ints(worth), LEARNT_STEP)

    def _reserve(self, reserves: Sequence[Reserve]) -> None:
        numbers = [number for reserve in reserves for number in reserve.numbers]
        allows = b"".join(self._allowed(reserve.models) for reserve in reserves)
        self._c.set_reserves(self._handle, len(reserves), _longs(numbers), allows)

    def _allowed(self, models: frozenset[int] | None) -> bytes:
        return bytes(models is None or model in models for model in range(self._models))

    def _kind(self, spec: NodeSpec) -> int:
        """The number of nodes just like this one."""
        models = tuple(card.model for card in spec.cards)
        key = (spec.cpu, models, spec.links)
        known = self._kinds.get(key)
        if known is None:
            known = self._kinds[key] = len(self._kinds)
            links = _ints(spec.links) if spec.links else None
            first = models[0] if models else 0
            self._c.put_kind(self._handle, known, first, len(models), links)
        return known


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(built("shoal_placement.so")))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _ints(values: Sequence[int]) -> "ctypes.Array[c_int32]":
    return (c_int32 * len(values))(*values)


def _longs(values: Sequence[int]) -> "ctypes.Array[c_int64]":
    return (c_int64 * len(values))(*values)
