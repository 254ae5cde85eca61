"""One file a verb. One-shot verbs import little: the blocking client, and no library to draw."""
