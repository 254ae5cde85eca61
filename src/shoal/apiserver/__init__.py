"""Serving the Kubernetes dialect from SQLite: an ASGI application. No business beyond it."""
