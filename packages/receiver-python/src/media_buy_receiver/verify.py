"""Whether a webhook is from whom it says: content type, size and mode, then the proof of the mode that was agreed."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Protocol, Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from ._wire import Malformed, authority, byte_token, decode_token, instant_of, signature_input, strict_json, target_uri

MAX_BODY_BYTES = 1_048_576
CLOCK_SKEW, MAX_VALIDITY, HMAC_SKEW = 60, 300, 300
_COVERED = ['@authority', '@method', '@target-uri', 'content-digest', 'content-type']
_SHAPES = {'ed25519': ('OKP', 'Ed25519', 'EdDSA'), 'ecdsa-p256-sha256': ('EC', 'P-256', 'ES256')}
_TYPES = {'created': int, 'expires': int, 'nonce': str, 'keyid': str, 'alg': str, 'tag': str}
_STATUS = {'content_type_unsupported': 415, 'body_too_large': 413, 'verifier_unavailable': 503}


class Refused(Exception):
    """Why a webhook is refused: `code` is for the sender, `reason` for your own people, `status` the answer's."""

    def __init__(self, code: str, reason: str = '') -> None:
        super().__init__(f'webhook_{code}: {reason}')
        self.code, self.reason, self.status = f'webhook_{code}', reason, _STATUS.get(code, 401)


class KeyNotFound(Exception):
    """The sender publishes no such key: 401. Whatever else a resolver raises is answered 503."""


class ReplayStore(Protocol):
    """Remembers which nonces of which key have been used. Times in seconds."""

    def is_full(self, keyid: str, now: float) -> bool:
        """Whether a key has used up its share of nonces. Records nothing."""

    def record(self, keyid: str, nonce: str, until: float, now: float) -> str:
        """In one atomic step: `recorded` up to and including `until`, or `seen`, or `full`."""


@dataclass(frozen=True)
class Signed:
    """Registered without an `authentication` block: signed by RFC 9421. `resolve_key` finds a JWK by its id, as `PublishedKeys`
    does; `sender` is whom the keys are of."""

    resolve_key: Callable[[str], Mapping[str, Any]]
    sender: str


@dataclass(frozen=True)
class _Shared:
    secret: str | Sequence[str]
    sender: str

    def __post_init__(self) -> None:
        if not all(isinstance(each, str) and len(each) >= 32 and len(set(each)) > 1 for each in self.secrets or ['']):
            raise ValueError('this lets anybody in: a secret has 32 characters or more, and not one repeated')

    @property
    def secrets(self) -> list[str]:
        return [self.secret] if isinstance(self.secret, str) else list(self.secret or [])


class Hmac(_Shared):
    """Registered with HMAC-SHA256 (deprecated). `secret` may be several while one replaces another."""


class Bearer(_Shared):
    """Registered with a bearer token (deprecated), or several: nothing protects the body."""


class Request(NamedTuple):
    """A webhook as it came: `url` is what the sender called, `headers` are pairs, `body` the bytes."""

    method: str
    url: str
    headers: Iterable[tuple[str, str]]
    body: bytes


@dataclass(frozen=True)
class Rules:
    """`protocol`: its name in tags and headers (public ecosystem: `adcp`). `standing_of`: `good`, `revoked` or `stale`,
    by key id. `now`: seconds since the epoch."""

    replay: ReplayStore
    protocol: str = 'proto'
    standing_of: Callable[[str], str] = lambda _keyid: 'good'
    now: Callable[[], float] = time.time


def verify_webhook(request: Request, agreed: Signed | Hmac | Bearer, rules: Rules) -> str:
    """Who sent it. Raises Refused at the first thing that is wrong, and never anything else."""
    header = headers_of(request.headers)
    try:
        _require(is_json(header), 'content_type_unsupported')
        _require(len(request.body) <= MAX_BODY_BYTES, 'body_too_large')
        is_agreed = _modes_shown(header, rules.protocol) <= {type(agreed)}
        _require(is_agreed, 'mode_mismatch', f'registered for {type(agreed).__name__}')
        _VERIFY[type(agreed)](request, header, agreed, rules)
        strict_json(request.body)
        return agreed.sender
    except Malformed as error:
        raise Refused('body_malformed', str(error)) from error
    except Refused:
        raise
    except Exception as error:
        raise Refused('verifier_unavailable', str(error)) from error


def _require(holds: bool, code: str, reason: str = '') -> None:
    if not holds:
        raise Refused(code, reason)


def headers_of(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By lower-case name; lines of one name are joined by a comma."""
    joined: dict[str, list[str]] = {}
    for name, value in headers:
        joined.setdefault(name.lower(), []).append(value.strip())
    return {name: ', '.join(values) for name, values in joined.items()}


def is_json(header: Mapping[str, str]) -> bool:
    kind, *params = [part.strip() for part in header.get('content-type', '').lower().split(';')]
    is_utf8 = all(re.fullmatch(r'charset="?utf-8"?|(?!charset=)[^,]*', param) for param in params)
    return kind == 'application/json' and is_utf8 and header.get('content-encoding', 'identity').lower() == 'identity'


def _modes_shown(header: Mapping[str, str], protocol: str) -> set[type]:
    modes = {'signature': Signed, 'signature-input': Signed, f'x-{protocol}-signature': Hmac, f'x-{protocol}-timestamp': Hmac}
    # A token beside a signature says nothing: a gateway may have added it.
    return {mode for name, mode in modes.items() if name in header} or ({Bearer} if _token(header) else set())


def _token(header: Mapping[str, str]) -> str:
    match = re.fullmatch(r'bearer +([^ ]+) *', header.get('authorization', ''), re.I)
    return match[1] if match else ''


def _is_one_of(shown: str, known: Iterable[str]) -> bool:
    return any([hmac.compare_digest(shown.encode('utf-8', 'replace'), one.encode()) for one in known])


def _verify_bearer(_request: Request, header: Mapping[str, str], agreed: Bearer, _rules: Rules) -> None:
    _require('authorization' in header, 'signature_header_malformed', 'there is no Authorization')
    _require(_is_one_of(_token(header), agreed.secrets), 'signature_invalid')


def _verify_hmac(request: Request, header: Mapping[str, str], agreed: Hmac, rules: Rules) -> None:
    shown, timestamp = (header.get(f'x-{rules.protocol}-{part}', '') for part in ('signature', 'timestamp'))
    is_formed = re.fullmatch(r'sha256=[0-9a-f]{64}', shown) and re.fullmatch(r'[0-9]{1,15}', timestamp)
    _require(is_formed is not None, 'signature_header_malformed')
    _require(abs(rules.now() - int(timestamp)) <= HMAC_SKEW, 'signature_window_invalid', f'made at {timestamp}')
    signed = f'{timestamp}.'.encode() + request.body
    macs = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in agreed.secrets]
    _require(_is_one_of(shown[7:], macs), 'signature_invalid')


def _verify_signed(request: Request, header: Mapping[str, str], agreed: Signed, rules: Rules) -> None:
    now, tag_expected = rules.now(), f'{rules.protocol}/webhook-signing/v1'
    try:  # 1
        components, params, text = signature_input(header['signature-input'])
        signature = byte_token(header['signature'], 'sig1')
        digest = byte_token(header['content-digest'], 'sha-256') if header.get('content-digest') else b''
        if not all(isinstance(params.get(name, kind()), kind) for name, kind in _TYPES.items()):
            raise Malformed('a parameter is of another type')
        if len(decode_token(params.get('nonce', 'A' * 22))) < 16 or len(digest) not in (0, 32):
            raise Malformed('the nonce is shorter than 16 bytes, or the digest no SHA-256')
    except (KeyError, Malformed) as error:
        raise Refused('signature_header_malformed', str(error)) from error
    _require(all(param in params for param in _TYPES), 'signature_params_incomplete')  # 2
    created, expires, nonce, keyid, alg, tag = (params[param] for param in _TYPES)
    _require(tag == tag_expected, 'signature_tag_invalid', f'expected the tag {tag_expected}')  # 3
    _require(alg in _SHAPES, 'signature_alg_not_allowed')  # 4
    is_current = created <= now + CLOCK_SKEW and expires >= now - CLOCK_SKEW and created < expires <= created + MAX_VALIDITY
    _require(is_current, 'signature_window_invalid', f'valid from {created} to {expires}, and it is {int(now)} here')  # 5
    _require(sorted(components) == _COVERED and digest != b'', 'signature_components_incomplete')  # 6
    try:  # 7
        jwk = agreed.resolve_key(keyid)
    except KeyNotFound as error:
        raise Refused('signature_key_unknown', str(error)) from error
    key = _public_key(jwk, alg, rules.protocol)  # 8
    standing = rules.standing_of(keyid)  # 9
    _require(standing != 'revoked' and not _is_revoked(jwk.get('revoked_at'), created), 'signature_key_revoked')
    _require(standing == 'good', 'signature_revocation_stale')
    _require(not rules.replay.is_full(keyid, now), 'signature_rate_abuse')
    target = target_uri(request.url)  # 10
    hosts = [header[name] for name in (':authority', 'host') if name in header]
    if target is None or any(authority(host, target.scheme) != target.authority for host in hosts):
        raise Refused('target_uri_malformed', f'{request.url} is no URL to sign, or Host names another')
    values = {**header, '@method': request.method, '@target-uri': target.uri, '@authority': target.authority}
    base = ''.join(f'"{name}": {values[name]}\n' for name in components) + f'"@signature-params": {text}'
    is_good = _is_good(key, signature, base.encode('latin-1', 'replace'))
    _require(is_good, 'signature_invalid', f'not over {request.method} {target.uri}')
    _require(digest == hashlib.sha256(request.body).digest(), 'signature_digest_mismatch')  # 11
    recorded = rules.replay.record(keyid, nonce, expires + CLOCK_SKEW, now)  # 12, 13
    _require(recorded != 'seen', 'signature_replayed')
    _require(recorded == 'recorded', 'signature_rate_abuse')


def _is_revoked(revoked_at: Any, created: int) -> bool:
    """A key may carry the instant from which its signatures count no more; one that is no instant revokes it."""
    instant = instant_of(revoked_at)
    return revoked_at is not None and (instant is None or created * 1000 >= instant)


def _public_key(jwk: Mapping[str, Any], alg: str, protocol: str) -> Any:
    uses = [jwk[field] for field in (f'{protocol}_use', 'proto_use', 'adcp_use') if jwk.get(field) is not None]
    operations = jwk.get('key_ops')
    may_verify = jwk.get('use') == 'sig' and isinstance(operations, list) and 'verify' in operations
    is_of_alg = (jwk.get('kty'), jwk.get('crv'), jwk.get('alg', _SHAPES[alg][2])) == _SHAPES[alg]
    try:
        if not (uses and uses[0] in ('request-signing', 'webhook-signing') and may_verify and is_of_alg):
            raise ValueError(f'use, key_ops, kty, crv or alg do not fit: {uses[:1]}')
        if alg == 'ed25519':
            return ed25519.Ed25519PublicKey.from_public_bytes(decode_token(jwk['x']))
        x, y = (int.from_bytes(decode_token(jwk[name]), 'big') for name in ('x', 'y'))
        return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    except (AttributeError, KeyError, TypeError, ValueError, Malformed) as error:
        raise Refused('signature_key_purpose_invalid', str(error)) from error


def _is_good(key: Any, signature: bytes, base: bytes) -> bool:
    """64 bytes either way; for ECDSA raw r, then s."""
    try:
        if isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, base)
        else:
            r, s = (int.from_bytes(half, 'big') for half in (signature[:32], signature[32:]))
            key.verify(encode_dss_signature(r, s), base, ec.ECDSA(SHA256()))
        return len(signature) == 64
    except InvalidSignature:
        return False


_VERIFY: dict[type, Callable[..., None]] = {Signed: _verify_signed, Hmac: _verify_hmac, Bearer: _verify_bearer}
