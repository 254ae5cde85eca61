"""Structural schemas: what a custom kind's objects may hold, compiled once a version.

A schema document becomes closures that complete an object with its defaults, drop the fields
that it does not name, and tell what is wrong. Nothing here raises for any JSON value.

Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
"""
