"""Feeds ``core.step`` and writes what it decides. No policy of its own."""
