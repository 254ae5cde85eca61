"""Finding the box again."""

from shoal.kube.blocking import BlockingClient
from shoal.kube.config import load_config
from shoal.kube.errors import KubeconfigError


def fresh(client: BlockingClient) -> BlockingClient:
    """A new client, for one thread, of the box as its kubeconfig says now.

    A box that was started again may have another port; while there is none, the last is kept.
    """
    try:
        return BlockingClient(load_config())
    except KubeconfigError:
        return BlockingClient(client.config)
