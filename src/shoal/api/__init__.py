"""The kinds: ours (one file each) and typed views of Kubernetes' own.

A view holds the fields that somebody in shoal reads; msgspec skips the rest when decoding,
so a view is for reading and never written back whole. Nothing here does I/O.
"""
