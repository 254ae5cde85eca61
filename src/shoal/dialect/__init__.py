"""What both ends of the Kubernetes dialect share: patches, selectors, Status errors, tables.

Pure functions over decoded JSON. No I/O, and no kinds of shoal's own.
"""
