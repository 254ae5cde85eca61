"""Jobs: pods are made until enough of them have succeeded.

``plan`` decides from a job and its pods, without I/O and without a clock; ``controller`` does
what it says. Two habits make a kill at any line harmless. A pod's name follows from its job and
a number, so a pod that was asked for twice is made once. And a pod that ended is first noted by
its uid in the job's status, then loses its finalizer, and only then moves to the counters, in
the same write that takes the note away.
https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""
