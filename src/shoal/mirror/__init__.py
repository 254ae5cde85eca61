"""Watched objects to the core's events, one way. No policy."""
