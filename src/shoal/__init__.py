"""shoal turns one GPU box, or a Kubernetes cluster, into an AI development cloud."""

__version__ = "0.1.0"
