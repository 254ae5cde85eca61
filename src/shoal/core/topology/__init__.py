"""Topology: domains inside domains, and how the members of a gang are dealt over them.

Pure arithmetic over numbers of nodes and of members that fit; the engine says how many fit where,
and the placer takes what is chosen here.
"""
