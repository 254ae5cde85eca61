"""Quantities, GPU amounts and durations: parsed to exact integers, printed for people.

Inside shoal CPU is mCPU, memory is MiB or bytes, compute is milli-card and time is
milliseconds or seconds, always integers. Nothing here does I/O.
"""
