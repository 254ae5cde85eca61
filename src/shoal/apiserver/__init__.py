"""Serving the Kubernetes dialect over HTTP, from SQLite. No business beyond it."""
