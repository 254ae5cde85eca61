"""The engine of placement: one cluster in arrays of integers, request classes and a policy.

It knows nodes, cards, models and classes by number, never by name, and decides nothing but
which place is best. ``native`` runs it compiled; ``reference`` is the same in plain numpy, slow
and easy to read, which the tests hold against it.
"""
