"""Traces replayed through the placement engine: what a policy would have made of recorded work.

The engine is the one that places live work; nothing here ranks places itself. Everything that
is random comes from a seed, so that a run can be repeated.
"""
