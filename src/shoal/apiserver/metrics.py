"""What the server counts, as text for Prometheus. Names are those of a real API server where
it has the same figure.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shoal.apiserver.http import Response

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[str, ...]


class Counters:
    """Requests answered, and streams that are open, by labels. Belongs to one event loop."""

    def __init__(self) -> None:
        self.requests: Final[Counter[Labels]] = Counter()
        """By verb, resource, subresource and code."""
        self.streams: Final[Counter[Labels]] = Counter()
        """By verb, resource and subresource."""


def page(counters: Counters, revision: int, objects: Mapping[str, int]) -> Response:
    """The answer of ``/metrics``: counts, the store's revision, and objects by resource."""
    place = ("verb", "resource", "subresource")
    lines = [
        *_family(
            "apiserver_request_total",
            "counter",
            "Requests answered.",
            _samples((*place, "code"), counters.requests),
        ),
        *_family(
            "apiserver_longrunning_requests",
            "gauge",
            "Watches and logs that are open.",
            _samples(place, counters.streams),
        ),
        *_family(
            "apiserver_storage_objects",
            "gauge",
            "Objects in the store.",
            _samples(("resource",), {(resource,): count for resource, count in objects.items()}),
        ),
        *_family("shoal_store_revision", "gauge", "The last durable revision.", [("", revision)]),
    ]
    return Response(200, ("\n".join(lines) + "\n").encode(), CONTENT_TYPE)


def _family(name: str, kind: str, about: str, samples: Iterable[tuple[str, int]]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        yield f"{name}{labels} {value}"


def _samples(names: Labels, counts: Mapping[Labels, int]) -> Iterator[tuple[str, int]]:
    for values, count in sorted(counts.items()):
        pairs = zip(names, values, strict=True)
        yield "{" + ",".join(f'{name}="{value}"' for name, value in pairs) + "}", count
