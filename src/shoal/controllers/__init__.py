"""Loops that make what objects ask for true, one file a kind.

Level-triggered and idempotent: each looks at the objects as they are, does what is missing,
and may be killed at any line. They talk to the API server alone, never to nodes.
"""
