"""IP addresses and networks. Zones and IPv4 written as IPv6 are none, as in Kubernetes."""

import ipaddress
from collections.abc import Callable
from typing import Final, TypeAlias

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.function import Functions, Run, plain, taking
from shoal.dialect.cel.values import Steps, Value

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Interface | ipaddress.IPv6Interface


def _ip(value: Value, steps: Steps) -> _Address:
    if not isinstance(value, str):
        found: _Address = value
        return found
    try:
        return _plain_address(ipaddress.ip_address(value))
    except ValueError as error:
        raise CelError(f"{value[:60]!r} is no IP address; example: 10.0.0.1") from error


def _cidr(value: Value, steps: Steps) -> _Network:
    if not isinstance(value, str):
        found: _Network = value
        return found
    address, slash, length = value.partition("/")
    try:
        if slash and length.isdecimal() and length.isascii() and str(int(length)) == length:
            network = ipaddress.ip_interface(value)
            _plain_address(ipaddress.ip_address(address))
            return network
    except ValueError:
        pass
    raise CelError(f"{value[:60]!r} is no network; example: 10.0.0.0/8")


def _plain_address(address: _Address) -> _Address:
    """Raises ValueError."""
    if isinstance(address, ipaddress.IPv6Address) and (address.scope_id or address.ipv4_mapped):
        raise ValueError(address)
    return address


def _can(read: Callable[[Value, Steps], Value]) -> Run:
    def run(value: Value, steps: Steps) -> bool:
        try:
            read(value, steps)
        except CelError:
            return False
        return True

    return run


def _is_canonical(text: str, steps: Steps) -> bool:
    return str(_ip(text, steps)) == text


def _contains_ip(network: _Network, address: Value, steps: Steps) -> bool:
    return _ip(address, steps) in network.network


def _contains_network(network: _Network, other: Value, steps: Steps) -> bool:
    inner = _cidr(other, steps)
    wide, narrow = network.network, inner.network
    return (
        wide.version == narrow.version
        and narrow.network_address in wide
        and (narrow.prefixlen >= wide.prefixlen)
    )


def _masked(network: _Network, steps: Steps) -> _Network:
    return ipaddress.ip_interface(str(network.network))


def _is_global(address: _Address) -> bool:
    """Of one host, and not of this network or machine alone; private ones count too."""
    broadcast = address == ipaddress.IPv4Address("255.255.255.255")
    local = address.is_loopback or address.is_link_local or address.is_multicast
    return not (address.is_unspecified or local or broadcast)


def _is_link_local_multicast(address: _Address) -> bool:
    return address in _LOCAL_GROUPS[address.version]


_LOCAL_GROUPS: Final = {
    4: ipaddress.ip_network("224.0.0.0/24"),
    6: ipaddress.ip_network("ff02::/16"),
}
FUNCTIONS: Final[Functions] = {
    ("cidr", 1): taking("string", "cidr", _cidr),
    ("ip", 1): taking("string", "ip", _ip),
    ("ip.isCanonical", 1): taking("string", "bool", _is_canonical),
    ("isCIDR", 1): taking("string", "bool", _can(_cidr)),
    ("isIP", 1): taking("string", "bool", _can(_ip)),
}
METHODS: Final[Functions] = {
    ("containsCIDR", 2): taking("cidr string|cidr", "bool", _contains_network),
    ("containsIP", 2): taking("cidr string|ip", "bool", _contains_ip),
    ("family", 1): taking("ip", "int", lambda address, steps: address.version),
    ("ip", 1): taking("cidr", "ip", lambda network, steps: network.ip),
    ("isGlobalUnicast", 1): taking("ip", "bool", plain(_is_global)),
    ("isLinkLocalMulticast", 1): taking("ip", "bool", plain(_is_link_local_multicast)),
    ("isLinkLocalUnicast", 1): taking("ip", "bool", plain(lambda ip: ip.is_link_local)),
    ("isLoopback", 1): taking("ip", "bool", plain(lambda ip: ip.is_loopback)),
    ("isUnspecified", 1): taking("ip", "bool", plain(lambda ip: ip.is_unspecified)),
    ("masked", 1): taking("cidr", "cidr", _masked),
    ("prefixLength", 1): taking("cidr", "int", lambda network, steps: network.network.prefixlen),
}
