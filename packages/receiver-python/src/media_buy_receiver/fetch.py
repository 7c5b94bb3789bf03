"""Fetches documents whose URLs are a sender's word: https, to names, without redirects, 64 KiB in 5 s, guarded addresses."""

from __future__ import annotations

import http.client
import ipaddress
import json
import queue
import re
import socket
import ssl
import threading
from typing import Any
from urllib.parse import urlsplit

MAX_DOCUMENT_BYTES, TIMEOUT_SECONDS = 65_536, 5.0

# Besides what `ipaddress` knows not to be global: metadata in public space, documentation, transition mechanisms.
_FORBIDDEN = [
    ipaddress.ip_network(network)
    for network in (
        *('168.63.129.16/32', '192.0.0.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'),
        *('192.175.48.0/24', '233.252.0.0/24', '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48'),
        *('3ffe::/16', '3fff::/20'),
    )
]
_GLOBAL_UNICAST, _NAT64 = ipaddress.ip_network('2000::/3'), ipaddress.ip_network('64:ff9b::/96')


class NotFetched(Exception):
    """A document that is not to be had now, or may not be asked for."""


class Fetched:
    def __init__(self, status: int, body: bytes) -> None:
        self.status = status
        try:
            self.json: Any = json.loads(body)
        except (ValueError, RecursionError):
            self.json = None


def is_public(address: str) -> bool:
    """Whether an address may be connected to. What is no address, or has a zone, may not."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if '%' in address:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped or ip in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
        is_isatap = (int(ip) >> 32) & 0xFCFFFFFF == 0x00005EFE
        if is_isatap or ip not in _GLOBAL_UNICAST:
            return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _FORBIDDEN)


def fetch_json(url: str, allow_loopback: bool = False) -> Fetched:
    """Raises NotFetched. `allow_loopback` is for an agent on your own machine, which may speak http."""
    try:
        connection, target = _opened(url, allow_loopback)
    except ValueError as error:
        raise NotFetched(f'{url[:200]!r} cannot be fetched: {error}') from error
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=lambda: answers.put(connection.attempt(target)), daemon=True).start()
    try:
        answer = answers.get(timeout=TIMEOUT_SECONDS)
    except queue.Empty:
        connection.abandon()
        answer = TimeoutError('it takes over 5 s')
    if isinstance(answer, Exception):
        raise NotFetched(f'{url[:200]} cannot be fetched: {answer}') from answer
    return answer


def _opened(url: str, allow_loopback: bool) -> tuple[_Guarded, str]:
    parts = urlsplit(url)
    host, port = parts.hostname or '', parts.port
    is_local = re.fullmatch(r'(.+\.)?localhost|::1|127(\.[0-9]+){3}', host) is not None
    is_address = re.fullmatch(r'.*:.*|(.*\.)?(0x[0-9a-f]*|[0-9]+)\.?', host) is not None
    if not host or not re.fullmatch(r'[!-\[\]-~]{1,8192}', url) or '@' in parts.netloc or port == 0:
        raise ValueError('it is no URL, or has userinfo')
    is_allowed = allow_loopback if is_local else parts.scheme == 'https' and not is_address
    if not is_allowed or parts.scheme not in ('http', 'https'):
        raise ValueError('it is not https to a name')
    return _Guarded(parts.scheme, host, port, is_local), (parts.path or '/') + (f'?{parts.query}' if parts.query else '')


class _Guarded(http.client.HTTPConnection):
    """Looks at every address of the name, and connects to one it has looked at."""

    def __init__(self, scheme: str, host: str, port: int | None, is_local: bool) -> None:
        super().__init__(host, port or (443 if scheme == 'https' else 80), timeout=TIMEOUT_SECONDS)
        self.default_port = 443 if scheme == 'https' else 80
        self._is_local, self._opened, self._is_abandoned = is_local, None, False

    def connect(self) -> None:
        found = [info[4][0] for info in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)]
        is_allowed = _is_loopback if self._is_local else is_public
        if self._is_abandoned or not found or not all(map(is_allowed, found)):
            raise NotFetched('an address of this name is refused')
        self.sock = self._opened = socket.create_connection((found[0], self.port), self.timeout)
        if self.default_port == 443:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)
            self._opened = self.sock

    def attempt(self, target: str) -> Any:
        """What came, or why nothing did."""
        try:
            self.request('GET', target, headers={'Accept': 'application/json', 'Connection': 'close'})
            response = self.getresponse()
            body = response.read(MAX_DOCUMENT_BYTES + 1)
            return Fetched(response.status, body) if len(body) <= MAX_DOCUMENT_BYTES else ValueError('over 64 KiB')
        except Exception as error:
            return error
        finally:
            self.close()

    def abandon(self) -> None:
        """Ends the reading of whoever waits for it."""
        self._is_abandoned = True
        try:
            if self._opened is not None:
                self._opened.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback
