"""The most that can be placed of a list of asks, by an exact solver (OR-tools' CP-SAT)."""

from collections.abc import Sequence

from ortools.sat.python import cp_model

from shoal.core.engine.spec import Ask, NodeSpec
from shoal.units.gpu import WHOLE


def most_placed(nodes: Sequence[NodeSpec], asks: Sequence[Ask]) -> int:
    """Milli-card that can be given at most, every ask wholly or not at all."""
    model = cp_model.CpModel()
    there = {
        (at, node): model.new_bool_var(f"ask {at} on {node}")
        for at in range(len(asks))
        for node in range(len(nodes))
    }
    on_card = {
        (at, node, card): model.new_bool_var(f"ask {at} on card {card} of {node}")
        for at, node in there
        for card in range(len(nodes[node].cards))
    }
    for at, ask in enumerate(asks):
        model.add_at_most_one(there[at, node] for node in range(len(nodes)))
        for node, spec in enumerate(nodes):
            cards = [on_card[at, node, card] for card in range(len(spec.cards))]
            model.add(sum(cards) == ask.count * there[at, node])
    for node, spec in enumerate(nodes):
        model.add(sum(ask.cpu * there[at, node] for at, ask in enumerate(asks)) <= spec.cpu)
        for card in range(len(spec.cards)):
            parts = [ask.milli * on_card[at, node, card] for at, ask in enumerate(asks)]
            model.add(sum(parts) <= WHOLE)
    model.maximize(
        sum(asks[at].count * asks[at].milli * placed for (at, _), placed in there.items())
    )
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)
