"""The served kinds: a table of Kubernetes' own, a table of ours, and their rules and columns."""
