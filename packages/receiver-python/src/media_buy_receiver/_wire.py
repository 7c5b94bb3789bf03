"""Headers, URLs and bodies as both ends of a webhook read them, and how a wrong one is refused."""

import base64
import json
import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Iterator, Mapping
from urllib.parse import quote

# What a code or an outcome is answered with, where it is not 401 or 200.
STATUS = {
    **{'body_not_an_object': 400, 'idempotency_key_missing': 400, 'status_unknown': 400},
    **{'unknown_endpoint': 404, 'unexpected': 404, 'not_a_post': 405, 'body_too_large': 413},
    **{'content_type_unsupported': 415, 'full': 429, 'failed': 500},
    **{'busy': 503, 'verifier_unavailable': 503},
}


class Refused(Exception):
    """Why a webhook is refused: `code` is for the sender, `reason` for your own people, `status`
    the answer's: 400 where there is no event in it, 503 where the sender may try again."""

    def __init__(self, code: str, reason: str = '') -> None:
        super().__init__(f'webhook_{code}: {reason}')
        self.code, self.reason, self.status = f'webhook_{code}', reason, STATUS.get(code, 401)


def require(holds: object, code: str, reason: str = '') -> None:
    if not holds:
        raise Refused(code, reason)


@contextmanager
def refusing(code: str, *kinds: type[Exception]) -> Iterator[None]:
    """What is raised of these kinds is a refusal by this code; one that has a code keeps it."""
    try:
        yield
    except Refused:
        raise
    except kinds as error:
        raise Refused(code, str(error)) from error


# As much of structured fields as the three headers use. Every text has one reading only.
_KEY, _STRING = r'[a-z*][a-z0-9_.*-]*', r'"(?:[ !#-\[\]-~]|\\["\\])*"'
_BARE = rf"(?:{_STRING}|[\w!#$%&'*+./:=?^`|~-]+)"
_PARAM, _PARAMS = rf'; *({_KEY})(?:=({_BARE}))?', rf'(?:; *{_KEY}(?:={_BARE})?)*'
_NAMES = rf'\( *(?:{_STRING}{_PARAMS}(?: +{_STRING}{_PARAMS})* *)?\)'
_MEMBER = rf'[ \t]*({_KEY})=(:[\w+/=-]*:|{_NAMES}{_PARAMS})[ \t]*'


def member(header: str, label: str) -> str:
    """What stands under a label of a `Signature-Input`, a `Signature` or a `Content-Digest`."""
    if len(header) > 8192 or not re.fullmatch(f'{_MEMBER}(?:,{_MEMBER})*', header, re.A):
        raise ValueError('a header does not parse, or is too long')
    return str(once(re.findall(_MEMBER, header, re.A))[label])


def params_of(text: str, types: Mapping[str, type]) -> dict[str, Any]:
    """Those of these names, as far as they are there; strings and integers are as in JSON."""
    written = once(re.findall(_PARAM, text, re.A))
    params = {name: json.loads(written[name]) for name in types if name in written}
    if any(type(value) is not types[name] for name, value in params.items()):
        raise ValueError('a parameter is of another type')
    return params


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError for a name that comes twice."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError('a name comes twice')
    return found


def decode_token(token: str) -> bytes:
    """Unpadded base64url, or standard base64, padded or not. Of all spellings within an alphabet
    only one is taken, so that no bit is set which no byte uses. Raises ValueError for others."""
    decoded = base64.urlsafe_b64decode(token.replace('+', '-').replace('/', '_') + '==')
    standard, url_safe = base64.b64encode(decoded), base64.urlsafe_b64encode(decoded)
    if token.encode() not in (url_safe.rstrip(b'='), standard, standard.rstrip(b'=')):
        raise ValueError('a token is no base64')
    return decoded


_PATH, _QUERY = r'((?:[!"$&->@-\[\]-~]|%[0-9a-f]{2})*)', r'((?:\?[!"$-\[\]-~]*)?)'
_URL = re.compile(rf'(https?)://(?:[^/?#]*@)?([^/?#@]*){_PATH}{_QUERY}(?:#.*)?', re.A | re.I | re.S)
# The dot of the root says nothing; any other empty label names no host.
_NAME = r'[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?=\.?(?::|\Z))'
_HOST = re.compile(rf'(\[[0-9a-f:.]+\](?!\.)|{_NAME})\.?(?::([0-9]{{0,5}}))?', re.A | re.I)
_PORTS = {'http': 80, 'https': 443}


def target_uri(url: str) -> tuple[str, str, str]:
    """Scheme, authority, and path with query of a URL in the one form that both ends sign; empty
    for what cannot be signed. Hosts are ASCII: write A-labels."""
    parts = _URL.fullmatch(url) if len(url) <= 8192 else None
    if not parts or not (host := authority(parts[2], scheme := parts[1].lower())):
        return '', '', ''
    path = re.sub('%(..)', lambda escape: quote(bytes.fromhex(escape[1]), safe=''), parts[3])
    kept: list[str] = []
    for segment in re.sub(r'(/\.\.?)\Z', r'\1/', path).split('/')[1:]:
        if segment == '..':
            del kept[-1:]
        elif segment != '.':
            kept.append(segment)
    return scheme, host, f'/{"/".join(kept)}{parts[4]}'


def authority(host_and_port: str, scheme: str) -> str:
    """In the form that is signed; empty for what names no host."""
    parts = _HOST.fullmatch(host_and_port)
    if not parts or (port := int(parts[2] or _PORTS[scheme])) > 65_535:
        return ''
    return parts[1].lower() + ('' if port == _PORTS[scheme] else f':{port}')


def strict_json(body: bytes) -> Any:
    """The value of a body that every parser reads alike: no name twice, no NaN (which `int` does
    not take for a number). Refuses any other."""
    with refusing('body_malformed', ValueError, RecursionError):
        return json.loads(body.decode('utf-8'), object_pairs_hook=once, parse_constant=int)


_INSTANT = r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)'
_EPOCH = datetime.fromtimestamp(0, UTC)


def instant_of(value: Any) -> int | None:
    """An RFC 3339 instant in whole milliseconds since the epoch; None for what is none."""
    try:
        if re.fullmatch(_INSTANT, text := str(value).upper(), re.A):
            return (datetime.fromisoformat(text) - _EPOCH) // timedelta(milliseconds=1)
    except ValueError:
        pass
    return None
