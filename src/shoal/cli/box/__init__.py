"""One machine's box: its home, its processes, how it is started and brought down."""
