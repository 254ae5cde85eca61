"""One file a kind: level-triggered, idempotent, safe to kill at any line. Never talk to nodes."""
