"""Headers, URLs and bodies as both ends of a webhook read them."""

from __future__ import annotations

import base64
import json
import re
from datetime import datetime
from typing import Any, Iterable, Mapping, NamedTuple

COVERED = ('@method', '@target-uri', '@authority', 'content-type', 'content-digest')

# As much of structured fields as the three headers use. Every text has one reading only, so nothing is read twice.
_KEY = r'[a-z*][a-z0-9_.*-]*'
_BYTES = r':[A-Za-z0-9+/_=-]*:'
_STRING = r'"(?:[ !#-\[\]-~]|\\["\\])*"'
_NUMBER = r'-?(?:[0-9]{1,15}|[0-9]{1,12}\.[0-9]{1,3})(?![0-9.])'
_BARE = rf"(?:{_STRING}|{_NUMBER}|{_BYTES}|\?[01]|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*)"
_PARAM = rf'; *({_KEY})(?:=({_BARE}))?'
_PARAMS = rf'(?:; *{_KEY}(?:={_BARE})?)*'
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
    components = [name[1:-1] for name in re.findall(rf'{_STRING}{_PARAMS}', covered)]
    pairs = [(key, _value(bare)) for key, bare in re.findall(_PARAM, params)]
    return SignatureInput(_unique(components), _once(pairs), text)


def byte_token(header: str, label: str) -> bytes:
    """The bytes under a label of a `Signature` or a `Content-Digest`."""
    return decode_token(_member(header, f'({_BYTES})', label)[0][1:-1])


def _member(header: str, pattern: str, label: str) -> tuple[str, ...]:
    if len(header) > 8192:
        raise Malformed('a header is too long')
    one, at, members = re.compile(rf'[ \t]*({_KEY})=({pattern})[ \t]*(?:,(?!\Z)|\Z)'), 0, []
    while at < len(header):
        match = one.match(header, at)
        if match is None:
            raise Malformed('a header does not parse')
        members.append((match[1], match.groups()[1:]))
        at = match.end()
    found = _once(members).get(label)
    if found is None:
        raise Malformed(f'a header has no {label}')
    return found


def _value(bare: str) -> Any:
    if bare.startswith('"'):
        return re.sub(r'\\(.)', r'\1', bare[1:-1])
    return int(bare) if re.fullmatch('-?[0-9]+', bare) else None


def _unique(names: list[str]) -> list[str]:
    return list(_once((name, None) for name in names))


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    listed = list(pairs)
    if len(dict(listed)) < len(listed):
        raise Malformed('a name comes twice')
    return dict(listed)


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


class TargetUri(NamedTuple):
    uri: str
    authority: str
    scheme: str
    path: str


_URI = re.compile(r'([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([!"$->@-\[\]-~]*)((?:\?[!"$-\[\]-~]*)?)(?:#.*)?', re.S)
_PORTS = {'http': '80', 'https': '443'}


def target_uri(url: str) -> TargetUri | None:
    """A URL in the one form that both ends sign; None for what cannot be signed. Hosts are ASCII: write A-labels."""
    parts = _URI.fullmatch(url) if len(url) <= 8192 else None
    if parts is None or re.search(r'%(?![0-9A-Fa-f]{2})', parts[3]):
        return None
    scheme, path = parts[1].lower(), _without_dots(re.sub('%..', _escape, parts[3])) + parts[4]
    host = authority(parts[2].rpartition('@')[2], scheme)
    return host and TargetUri(f'{scheme}://{host}{path}', host, scheme, path)


def authority(host_and_port: str, scheme: str) -> str | None:
    parts = re.fullmatch(r'(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{0,5}))?', host_and_port)
    if parts is None or scheme not in _PORTS or int(parts[2] or 0) > 65_535:
        return None
    # The dot of the root says nothing in a URL; any other empty label names no host.
    host = parts[1].lower().removesuffix('.')
    if not parts[1].startswith('[') and '' in host.split('.'):
        return None
    port = str(int(parts[2])) if parts[2] else _PORTS[scheme]
    return host + ('' if port == _PORTS[scheme] else f':{port}')


def _escape(escape: re.Match[str]) -> str:
    char = chr(int(escape[0][1:], 16))
    return char if re.fullmatch(r'[A-Za-z0-9._~-]', char) else escape[0].upper()


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split('/')[1:]
    for segment in segments:
        kept[-1:] = [] if segment == '..' else kept[-1:]
        kept += [] if segment in ('.', '..') else [segment]
    return '/' + '/'.join(kept + [''] * (segments[-1:] in (['.'], ['..'])))


def signature_base(signed: SignatureInput, values: Mapping[str, str]) -> bytes:
    lines = [f'"{name}": {values[name]}\n' for name in signed.components]
    return f'{"".join(lines)}"@signature-params": {signed.text}'.encode('latin-1', 'replace')


def strict_json(body: bytes) -> Any:
    """The value of a body that every parser reads alike. Raises Malformed, also for a name that comes twice."""
    try:
        return json.loads(body.decode('utf-8'), object_pairs_hook=_once, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise Malformed('the body is no JSON in UTF-8') from error


def _no_json(constant: str) -> None:
    raise Malformed(f'{constant} is no JSON')


def instant_of(value: Any) -> float | None:
    """Seconds since the epoch of an RFC 3339 instant; None for what is none."""
    match = re.fullmatch(r'(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)', str(value), re.A)
    try:
        offset = '+00:00' if match[4] in 'Zz' else match[4]
        return datetime.fromisoformat(f'{match[1]}T{match[2]}{offset}').timestamp() + float((match[3] or '0')[:4])
    except (TypeError, ValueError):
        return None
