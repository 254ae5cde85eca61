"""The part of kube-controller-manager that one machine lacks. Never runs on a cluster."""
