"""The part of kube-controller-manager that one machine lacks. Never run on a cluster."""
