"""Whether a webhook is from whom it says: content type, size and mode, then the proof of the mode that was agreed."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from ._wire import COVERED, Malformed, authority, byte_token, decode_token, instant_of, signature_base
from ._wire import signature_input, strict_json, target_uri
from .stores import ReplayStore

MAX_BODY_BYTES = 1_048_576
CLOCK_SKEW, MAX_VALIDITY, HMAC_SKEW = 60, 300, 300
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


class ResolvedKey(NamedTuple):
    jwk: Mapping[str, Any]
    sender: str | None = None


@dataclass(frozen=True)
class Signed:
    """Registered without an `authentication` block: signed by RFC 9421. `resolve_key` is such as `agent_keys`."""

    resolve_key: Callable[[str], ResolvedKey]
    sender: str | None = None


@dataclass(frozen=True)
class Hmac:
    """Registered with HMAC-SHA256 (deprecated). `secret` may be several while one replaces another."""

    secret: str | Sequence[str]
    sender: str

    def __post_init__(self) -> None:
        _secrets(self.secret)


@dataclass(frozen=True)
class Bearer:
    """Registered with a bearer token (deprecated): nothing protects the body."""

    token: str | Sequence[str]
    sender: str

    def __post_init__(self) -> None:
        _secrets(self.token)


@dataclass(frozen=True)
class Request:
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
    standing_of: Callable[[str], str] | None = None
    now: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        if not re.fullmatch(r'[a-z][a-z0-9-]{0,31}', self.protocol):
            raise ValueError('a protocol name is 1-32 of a-z, 0-9 and "-", beginning with a letter')


class Verified(NamedTuple):
    sender: str
    keyid: str | None = None


def verify_webhook(request: Request, agreed: Signed | Hmac | Bearer, rules: Rules) -> Verified:
    """Who sent it. Raises Refused at the first thing that is wrong, and never anything else."""
    header = headers_of(request.headers)
    try:
        if not is_json(header):
            raise Refused('content_type_unsupported')
        if len(request.body) > MAX_BODY_BYTES:
            raise Refused('body_too_large')
        if any(mode is not type(agreed) for mode in _modes_shown(header, rules.protocol)):
            raise Refused('mode_mismatch', f'registered for {type(agreed).__name__}')
        verified = _VERIFY[type(agreed)](request, header, agreed, rules)
        strict_json(request.body)
        return verified
    except Malformed as error:
        raise Refused('body_malformed', str(error)) from error
    except Refused:
        raise
    except Exception as error:
        raise Refused('verifier_unavailable', str(error)) from error


def headers_of(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By lower-case name; lines of one name are joined by a comma."""
    joined: dict[str, str] = {}
    for name, value in headers:
        earlier = joined.get(name.lower())
        joined[name.lower()] = value.strip() if earlier is None else f'{earlier}, {value.strip()}'
    return joined


def is_json(header: Mapping[str, str]) -> bool:
    content_type = header.get('content-type', '').lower()
    kind, *params = [part.strip() for part in content_type.split(';')]
    charsets = [param for param in params if param.startswith('charset=')]
    is_utf8 = all(re.fullmatch(r'charset="?utf-8"?', charset) for charset in charsets)
    is_plain = header.get('content-encoding', 'identity').lower() == 'identity'
    return kind == 'application/json' and is_utf8 and ',' not in content_type and is_plain


def _secrets(given: str | Sequence[str]) -> list[str]:
    secrets = [given] if isinstance(given, str) else list(given or [''])
    if not all(isinstance(secret, str) and len(secret) >= 32 and len(set(secret)) > 1 for secret in secrets):
        raise ValueError('this lets anybody in: a secret has 32 characters or more, and not one repeated')
    return secrets


def _modes_shown(header: Mapping[str, str], protocol: str) -> list[type]:
    shown: list[type] = [Signed] if 'signature-input' in header or 'signature' in header else []
    shown += [Hmac] if any(f'x-{protocol}-{part}' in header for part in ('signature', 'timestamp')) else []
    # A token beside a signature says nothing: a gateway may have added it.
    return shown or ([Bearer] if _bearer_token(header) is not None else [])


def _bearer_token(header: Mapping[str, str]) -> str | None:
    match = re.fullmatch(r'bearer +([^ ]+) *', header.get('authorization', ''), re.I)
    return match and match[1]


def _is_one_of(shown: str, known: Iterable[str]) -> bool:
    return any([hmac.compare_digest(shown.encode('utf-8', 'replace'), one.encode()) for one in known])


def _verify_bearer(_: Request, header: Mapping[str, str], agreed: Bearer, _rules: Rules) -> Verified:
    if 'authorization' not in header:
        raise Refused('signature_header_malformed', 'there is no Authorization')
    if not _is_one_of(_bearer_token(header) or '', _secrets(agreed.token)):
        raise Refused('signature_invalid')
    return Verified(agreed.sender)


def _verify_hmac(request: Request, header: Mapping[str, str], agreed: Hmac, rules: Rules) -> Verified:
    mac = re.fullmatch(r'sha256=([0-9a-f]{64})', header.get(f'x-{rules.protocol}-signature', ''))
    timestamp = header.get(f'x-{rules.protocol}-timestamp', '')
    if mac is None or not re.fullmatch(r'[0-9]{1,15}', timestamp):
        raise Refused('signature_header_malformed')
    if abs(rules.now() - int(timestamp)) > HMAC_SKEW:
        raise Refused('signature_window_invalid', f'made at {timestamp}')
    signed = f'{timestamp}.'.encode() + request.body
    macs = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in _secrets(agreed.secret)]
    if not _is_one_of(mac[1], macs):
        raise Refused('signature_invalid')
    return Verified(agreed.sender)


def _verify_signed(request: Request, header: Mapping[str, str], agreed: Signed, rules: Rules) -> Verified:
    now = rules.now()
    try:  # 1
        signed = signature_input(header['signature-input'])
        signature = byte_token(header['signature'], 'sig1')
        digest = byte_token(header['content-digest'], 'sha-256') if header.get('content-digest') else None
        _check_forms(signed.params, digest)
    except (KeyError, Malformed) as error:
        raise Refused('signature_header_malformed', str(error)) from error
    if not all(param in signed.params for param in _TYPES):  # 2
        raise Refused('signature_params_incomplete')
    created, expires, nonce, keyid, alg, tag = (signed.params[param] for param in _TYPES)
    if tag != f'{rules.protocol}/webhook-signing/v1':  # 3
        raise Refused('signature_tag_invalid', f'expected the tag {rules.protocol}/webhook-signing/v1')
    if alg not in _SHAPES:  # 4
        raise Refused('signature_alg_not_allowed')
    is_current = created <= now + CLOCK_SKEW and expires >= now - CLOCK_SKEW
    if not (is_current and created < expires <= created + MAX_VALIDITY):  # 5
        raise Refused('signature_window_invalid', f'valid from {created} to {expires}, and it is {int(now)} here')
    if sorted(signed.components) != sorted(COVERED) or digest is None:  # 6
        raise Refused('signature_components_incomplete')
    try:  # 7
        jwk, sender = agreed.resolve_key(keyid)
    except KeyNotFound as error:
        raise Refused('signature_key_unknown', str(error)) from error
    key = _public_key(jwk, alg, rules.protocol)  # 8
    standing = rules.standing_of(keyid) if rules.standing_of else 'good'
    if standing == 'revoked' or _is_revoked(jwk.get('revoked_at'), created):  # 9
        raise Refused('signature_key_revoked')
    if standing != 'good':
        raise Refused('signature_revocation_stale')
    if rules.replay.is_full(keyid, now):
        raise Refused('signature_rate_abuse')
    target = target_uri(request.url)  # 10
    if target is None or not all(_names(header.get(name), target) for name in (':authority', 'host')):
        raise Refused('target_uri_malformed', f'{request.url} is no URL to sign, or Host names another')
    derived = {'@method': request.method, '@target-uri': target.uri, '@authority': target.authority}
    if not _is_good(key, signature, signature_base(signed, {**header, **derived})):
        raise Refused('signature_invalid', f'not over {request.method} {target.uri}')
    if digest != hashlib.sha256(request.body).digest():  # 11
        raise Refused('signature_digest_mismatch')
    recorded = rules.replay.record(keyid, nonce, expires + CLOCK_SKEW, now)
    if recorded != 'recorded':  # 12, 13
        raise Refused('signature_replayed' if recorded == 'seen' else 'signature_rate_abuse')
    return Verified(agreed.sender or sender or 'unnamed', keyid)


def _check_forms(params: Mapping[str, Any], digest: bytes | None) -> None:
    if not all(isinstance(params.get(name, kind()), kind) for name, kind in _TYPES.items()):
        raise Malformed('a parameter is of another type')
    if len(decode_token(params.get('nonce', 'A' * 22))) < 16 or (digest is not None and len(digest) != 32):
        raise Malformed('the nonce is shorter than 16 bytes, or the digest no SHA-256')


def _names(shown: str | None, target: Any) -> bool:
    return shown is None or authority(shown, target.scheme) == target.authority


def _is_revoked(revoked_at: Any, created: int) -> bool:
    """A key may carry the instant from which its signatures count no more; one that is no instant revokes it."""
    instant = instant_of(revoked_at)
    return revoked_at is not None and (instant is None or created >= instant)


def _public_key(jwk: Mapping[str, Any], alg: str, protocol: str) -> Any:
    uses = [jwk.get(field) for field in (f'{protocol}_use', 'proto_use', 'adcp_use') if jwk.get(field) is not None]
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
        if len(signature) != 64:
            return False
        if isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, base)
        else:
            r, s = (int.from_bytes(half, 'big') for half in (signature[:32], signature[32:]))
            key.verify(encode_dss_signature(r, s), base, ec.ECDSA(SHA256()))
        return True
    except InvalidSignature:
        return False


_VERIFY: dict[type, Callable[..., Verified]] = {Signed: _verify_signed, Hmac: _verify_hmac, Bearer: _verify_bearer}
