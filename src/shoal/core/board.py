"""The board: every node and card, what is free of it and who holds the rest."""

from shoal.core.cluster import Node
from shoal.core.engine.spec import CardLeft
from shoal.core.report import Board, CardHolder, CardLine, NodeLine
from shoal.core.state import State


def board(state: State) -> Board:
    """Every node by name, with its cards."""
    placing = sum(state.placing(waiting.group) for waiting in state.line.values())
    return Board(
        nodes=tuple(_node_line(state, node) for _, node in sorted(state.cluster.nodes.items())),
        waiting=len(state.line) - placing,
        placing=placing,
    )


def card_line(state: State, node: Node, at: int, left: CardLeft) -> CardLine:
    """One card of a node, and what is left of it."""
    facts = node.cards[at]
    return CardLine(
        node=node.facts.name,
        card=facts.name,
        model=facts.model,
        memory_mib=facts.memory_mib,
        memory_free_mib=max(left.mib, 0),
        milli_free=max(left.milli, 0),
        simulated=facts.simulated,
        holders=_holders(state, node.facts.name, facts.name),
    )


def _node_line(state: State, node: Node) -> NodeLine:
    facts, left = node.facts, state.cluster.left(node.facts.name)
    return NodeLine(
        name=facts.name,
        cpu_milli=facts.cpu_milli,
        cpu_free_milli=max(left.cpu, 0),
        memory_mib=facts.memory_mib,
        memory_free_mib=max(left.memory, 0),
        closed=facts.closed,
        cards=tuple(card_line(state, node, at, card) for at, card in enumerate(left.cards)),
    )


def _holders(state: State, node: str, card: str) -> tuple[CardHolder, ...]:
    """The holders of a card, the largest first."""
    found = [
        CardHolder(
            owner=hold.owner,
            memory_mib=part.memory_mib,
            milli=part.milli,
            share=hold.share,
            ends_at=hold.ends_at,
            releasing=hold.releasing,
            assumed=state.claims.seen.get(hold.claim) is not hold,
        )
        for hold in state.claims.on(node)
        for part in hold.parts
        if part.card == card
    ]
    return tuple(sorted(found, key=lambda h: (-h.milli, -h.memory_mib, h.owner, h.ends_at)))
