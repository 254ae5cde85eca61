"""Objects to facts: what was watched becomes the events that ``core.step`` understands.

One way, without policy and without I/O. Only what is confirmed lives here; what was merely
assumed lives in the core's state.
"""
