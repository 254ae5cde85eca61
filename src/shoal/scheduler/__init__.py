"""The loop around ``core.step``, and the only writer of allocations and bindings.

Has no policy of its own: what goes where is decided in the core, and only written here.
"""
