"""Headers, URLs and bodies as both ends of a webhook read them."""

from __future__ import annotations

import base64
import json
import re
from datetime import datetime
from typing import Any, Iterable, NamedTuple

# As much of structured fields as the three headers use. Every text has one reading only, so nothing is read twice.
_KEY, _BYTES, _STRING = r'[a-z*][a-z0-9_.*-]*', r':[A-Za-z0-9+/_=-]*:', r'"(?:[ !#-\[\]-~]|\\["\\])*"'
_NUMBER = r'-?(?:[0-9]{1,15}|[0-9]{1,12}\.[0-9]{1,3})(?![0-9.])'
_BARE = rf"(?:{_STRING}|{_NUMBER}|{_BYTES}|\?[01]|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*)"
_PARAM, _PARAMS = rf'; *({_KEY})(?:=({_BARE}))?', rf'(?:; *{_KEY}(?:={_BARE})?)*'
_INPUT = rf'(\( *(?:{_STRING}{_PARAMS}(?: +{_STRING}{_PARAMS})* *)?\))({_PARAMS})'


class Malformed(Exception):
    """A header or a body that does not parse."""


class SignatureInput(NamedTuple):
    components: list[str]
    params: dict[str, Any]  # integers and strings; None is a value of another type
    text: str


def signature_input(header: str) -> SignatureInput:
    """The member `sig1` of a `Signature-Input`."""
    text, covered, params = _member(header, _INPUT, 'sig1')
    components = once((name[1:-1], None) for name in re.findall(rf'{_STRING}{_PARAMS}', covered))
    return SignatureInput([*components], once((key, _value(bare)) for key, bare in re.findall(_PARAM, params)), text)


def byte_token(header: str, label: str) -> bytes:
    """The bytes under a label of a `Signature` or a `Content-Digest`."""
    return decode_token(_member(header, f'({_BYTES})', label)[0][1:-1])


def _member(header: str, pattern: str, label: str) -> tuple[str, ...]:
    one, at, members = re.compile(rf'[ \t]*({_KEY})=({pattern})[ \t]*(?:,(?!\Z)|\Z)'), 0, []
    while at < len(header) <= 8192 and (match := one.match(header, at)):
        members.append((match[1], match.groups()[1:]))
        at = match.end()
    if at < len(header) or label not in once(members):
        raise Malformed(f'a header does not parse, is too long, or has no {label}')
    return dict(members)[label]


def _value(bare: str) -> Any:
    if bare.startswith('"'):
        return re.sub(r'\\(.)', r'\1', bare[1:-1])
    return int(bare) if re.fullmatch('-?[0-9]+', bare) else None


def once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Raises Malformed for a name that comes twice."""
    if len(found := dict(listed := list(pairs))) < len(listed):
        raise Malformed('a name comes twice')
    return found


def decode_token(token: str) -> bytes:
    """Unpadded base64url, or standard base64, padded or not. Of all spellings within an alphabet only one is taken."""
    digits = token.rstrip('=')
    standard = digits.replace('-', '+').replace('_', '/')
    is_alphabet = re.fullmatch(r'[A-Za-z0-9_-]*|[A-Za-z0-9+/]*={0,2}', token)
    if not is_alphabet or len(digits) % 4 == 1 or (digits != token and len(token) % 4):
        raise Malformed('a token is no base64')
    decoded = base64.b64decode(standard + '=' * (-len(standard) % 4))
    if base64.b64encode(decoded).decode().rstrip('=') != standard:
        raise Malformed('a token sets bits that no byte uses')
    return decoded


class Target(NamedTuple):
    uri: str
    authority: str
    scheme: str


_URI = re.compile(r'([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([!"$->@-\[\]-~]*)((?:\?[!"$-\[\]-~]*)?)(?:#.*)?', re.S)
_PORTS = {'http': '80', 'https': '443'}


def target_uri(url: str) -> Target | None:
    """A URL in the one form that both ends sign; None for what cannot be signed. Hosts are ASCII: write A-labels."""
    parts = _URI.fullmatch(url) if len(url) <= 8192 else None
    if parts is None or re.search(r'%(?![0-9A-Fa-f]{2})', parts[3]):
        return None
    scheme, path = parts[1].lower(), _without_dots(re.sub('%..', _escape, parts[3])) + parts[4]
    host = authority(parts[2].rpartition('@')[2], scheme)
    return host and Target(f'{scheme}://{host}{path}', host, scheme)


def authority(host_and_port: str, scheme: str) -> str | None:
    parts = re.fullmatch(r'(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{0,5}))?', host_and_port)
    if parts is None or scheme not in _PORTS or int(parts[2] or 0) > 65_535:
        return None
    # The dot of the root says nothing in a URL; any other empty label names no host.
    host, port = parts[1].lower().removesuffix('.'), str(int(parts[2] or _PORTS[scheme]))
    return None if '' in host.split('.') else host + ('' if port == _PORTS[scheme] else f':{port}')


def _escape(escape: re.Match[str]) -> str:
    char = chr(int(escape[0][1:], 16))
    return char if re.fullmatch(r'[A-Za-z0-9._~-]', char) else escape[0].upper()


def _without_dots(path: str) -> str:
    kept: list[str] = []
    for segment in (segments := path.split('/')[1:]):
        kept[-1:] = [] if segment == '..' else kept[-1:]
        kept += [] if segment in ('.', '..') else [segment]
    return '/' + '/'.join(kept + [''] * (segments[-1:] in (['.'], ['..'])))


def strict_json(body: bytes) -> Any:
    """The value of a body that every parser reads alike. Raises Malformed, also for a name that comes twice."""
    try:
        return json.loads(body.decode('utf-8'), object_pairs_hook=once, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise Malformed('the body is no JSON in UTF-8') from error


def _no_json(constant: str) -> None:
    raise Malformed(f'{constant} is no JSON')


_INSTANT = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)', re.A)


def instant_of(value: Any) -> int | None:
    """An RFC 3339 instant in whole milliseconds since the epoch; None for what is none."""
    try:
        instant = datetime.fromisoformat(_INSTANT.fullmatch(str(value).upper().replace(' ', 'T'))[0])
    except (TypeError, ValueError):
        return None
    return int(instant.replace(microsecond=0).timestamp()) * 1000 + instant.microsecond // 1000
