"""Decisions without I/O: events in, decisions with reasons out.

No clock, no network, no threads, and no randomness without a seed. Never imports ``kube``.
"""
