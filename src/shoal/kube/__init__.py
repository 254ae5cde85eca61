"""Speaking the Kubernetes dialect: kubeconfig, clients, reflectors, work queue. No business."""
