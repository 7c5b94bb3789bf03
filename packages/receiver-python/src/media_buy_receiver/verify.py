"""Whether a webhook is from whom it says: content type, size and mode, then the proof of the mode
that was agreed."""

import hmac
import re
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.hashes import SHA256

from ._wire import authority, decode_token, instant_of, member, params_of
from ._wire import refusing, require, strict_json, target_uri
from .stores import Clock, ReplayStore

MAX_BODY_BYTES, CLOCK_SKEW, MAX_VALIDITY, HMAC_SKEW = 1_048_576, 60, 300, 300
_COVERED = ['@authority', '@method', '@target-uri', 'content-digest', 'content-type']
_PARAMS = {'created': int, 'expires': int, 'nonce': str, 'keyid': str, 'alg': str, 'tag': str}
_HMAC_PARTS, _USES = ('timestamp', 'signature'), ('request-signing', 'webhook-signing')
_SHAPES = {'ed25519': ('OKP', 'Ed25519', 'EdDSA'), 'ecdsa-p256-sha256': ('EC', 'P-256', 'ES256')}
Headers = Iterable[tuple[str, str]]


class KeyNotFound(Exception):
    """The sender publishes no such key: 401. Whatever else a resolver raises is answered 503."""


class Request(NamedTuple):
    """A webhook as it came: `url` is what the sender called, `headers` pairs, `body` the bytes."""

    method: str
    url: str
    headers: Headers
    body: bytes


@dataclass(frozen=True)
class Rules:
    """`protocol`: its name in tags and headers (public ecosystem: `adcp`). `standing_of`: `good`,
    `revoked` or `stale`, by key id. `now`: seconds since the epoch."""

    replay: ReplayStore
    protocol: str = 'proto'
    standing_of: Callable[[str], str] = lambda _keyid: 'good'
    now: Clock = time.time


@dataclass(frozen=True, repr=False)
class _Shared:
    secret: str | Sequence[str]
    sender: str

    def __post_init__(self) -> None:
        for one in listed(self.secret):
            if not isinstance(one, str) or len(one) < 32 or len({*one}) < 2:
                raise ValueError('anybody gets in: a secret has 32 characters, not one repeated')

    def _proves(self, shown: str, proof_by: Callable[[str], str]) -> None:
        """All secrets are always tried."""
        proofs = [proof_by(secret).encode() for secret in listed(self.secret)]
        verdicts = [hmac.compare_digest(shown.encode('utf-8', 'replace'), one) for one in proofs]
        require(any(verdicts), 'signature_invalid')


class Bearer(_Shared):
    """Registered with a bearer token (deprecated), or several: nothing protects the body."""

    def _check(self, _request: Request, header: Mapping[str, str], _rules: Rules) -> None:
        require('authorization' in header, 'signature_header_malformed', 'no Authorization')
        self._proves(_token(header), str)


class Hmac(_Shared):
    """Registered with HMAC-SHA256 (deprecated). `secret` may be several while one replaces
    another."""

    def _check(self, request: Request, header: Mapping[str, str], rules: Rules) -> None:
        at, shown = (header.get(f'x-{rules.protocol}-{part}', '') for part in _HMAC_PARTS)
        is_formed = re.fullmatch('[0-9]{1,15} sha256=[0-9a-f]{64}', f'{at} {shown}')
        require(is_formed, 'signature_header_malformed')
        is_current = abs(rules.now() - int(at)) <= HMAC_SKEW
        require(is_current, 'signature_window_invalid', f'made at {at}')
        signed = f'{at}.'.encode() + request.body
        self._proves(shown[7:], lambda secret: hmac.digest(secret.encode(), signed, 'sha256').hex())


@dataclass(frozen=True)
class Signed:
    """Registered without an `authentication` block: signed by RFC 9421. `resolve_key` finds a JWK
    by its id, as `PublishedKeys` does; `sender` is whom the keys are of."""

    resolve_key: Callable[[str], Mapping[str, Any]]
    sender: str

    def _check(self, request: Request, header: Mapping[str, str], rules: Rules) -> None:
        now, tag_here = rules.now(), f'{rules.protocol}/webhook-signing/v1'
        with refusing('signature_header_malformed', LookupError, ValueError):  # 1
            text = member(header['signature-input'], 'sig1')
            covered, _, written = text.partition(')')
            components = [name.strip('"') for name in covered[1:].split()]
            params = params_of(written, _PARAMS)
            signature = decode_token(member(header['signature'], 'sig1')[1:-1])
            shown = header.get('content-digest')
            digest = decode_token(member(shown, 'sha-256')[1:-1]) if shown else bytes(32)
            is_long = len(decode_token(params.get('nonce', 'A' * 22))) >= 16 and len(digest) == 32
            require(is_long, 'signature_header_malformed', 'a short nonce, or no SHA-256')
        require(len(params) == len(_PARAMS), 'signature_params_incomplete')  # 2
        created, expires, nonce, keyid, alg, tag = params.values()
        require(tag == tag_here, 'signature_tag_invalid', f'expected the tag {tag_here}')  # 3
        require(alg in _SHAPES, 'signature_alg_not_allowed')  # 4
        is_now = created - CLOCK_SKEW <= now <= expires + CLOCK_SKEW
        is_valid = is_now and created < expires <= created + MAX_VALIDITY
        window = f'valid from {created} to {expires}, and it is {int(now)} here'
        require(is_valid, 'signature_window_invalid', window)  # 5
        require(sorted(components) == _COVERED and shown, 'signature_components_incomplete')  # 6
        with refusing('signature_key_unknown', KeyNotFound):  # 7
            jwk = self.resolve_key(keyid)
        verify = _verifier(jwk, alg, rules.protocol)  # 8
        revoked_at, standing = jwk.get('revoked_at'), rules.standing_of(keyid)  # 9
        is_older = revoked_at is None or created * 1000 < (instant_of(revoked_at) or 0)
        require(is_older and standing != 'revoked', 'signature_key_revoked')
        require(standing == 'good', 'signature_revocation_stale')
        require(not rules.replay.is_full(keyid, now), 'signature_rate_abuse')
        scheme, host, path = target_uri(request.url)  # 10
        named = [header[name] for name in (':authority', 'host') if name in header]
        is_host = host and all(authority(name, scheme) == host for name in named)
        require(is_host, 'target_uri_malformed', f'{request.url}: no URL to sign, or another Host')
        values = {**header, '@method': request.method, '@authority': host}
        values |= {'@target-uri': f'{scheme}://{host}{path}', '@signature-params': text}
        base = '\n'.join(f'"{name}": {values[name]}' for name in [*components, '@signature-params'])
        require(len(signature) == 64, 'signature_invalid', 'it has not 64 bytes')
        with refusing('signature_invalid', InvalidSignature):
            verify(signature, base.encode('latin-1', 'replace'))
        require(digest == sha256(request.body).digest(), 'signature_digest_mismatch')  # 11
        recorded = rules.replay.record(keyid, nonce, expires + CLOCK_SKEW, now)  # 12, 13
        require(recorded != 'seen', 'signature_replayed')
        require(recorded == 'recorded', 'signature_rate_abuse')


Registration = Signed | Hmac | Bearer


def verify_webhook(request: Request, agreed: Registration, rules: Rules) -> str:
    """Who sent it. Raises Refused at the first thing that is wrong, and never anything else."""
    with refusing('verifier_unavailable', Exception):
        header = headers_of(request.headers)
        require(is_json(header), 'content_type_unsupported')
        require(len(request.body) <= MAX_BODY_BYTES, 'body_too_large')
        modes: dict[str, type] = {'signature': Signed, 'signature-input': Signed}
        modes |= {f'x-{rules.protocol}-{part}': Hmac for part in _HMAC_PARTS}
        # A token beside a signature says nothing: a gateway may have added it.
        if not (shown := {modes[name] for name in modes if name in header}) and _token(header):
            shown = {Bearer}
        require(shown <= {type(agreed)}, 'mode_mismatch', f'registered for {type(agreed).__name__}')
        agreed._check(request, header, rules)
        strict_json(request.body)
    return agreed.sender


def headers_of(headers: Headers) -> dict[str, str]:
    """By lower-case name; lines of one name are joined by a comma."""
    joined: dict[str, list[str]] = {}
    for name, value in headers:
        joined.setdefault(name.lower(), []).append(value.strip())
    return {name: ', '.join(values) for name, values in joined.items()}


def is_json(header: Mapping[str, str]) -> bool:
    kind, *params = [part.strip() for part in header.get('content-type', '').lower().split(';')]
    is_utf8 = all(re.fullmatch('charset="?utf-8"?|(?!charset=)[^,]*', param) for param in params)
    encoding = header.get('content-encoding', 'identity').lower()
    return kind == 'application/json' and is_utf8 and encoding == 'identity'


def listed(one_or_more: str | Sequence[str]) -> list[str]:
    """At least one: of none an empty one."""
    return [one_or_more] if isinstance(one_or_more, str) else list(one_or_more or [''])


def _token(header: Mapping[str, str]) -> str:
    return ''.join(re.findall(r'\Abearer +([^ ]+) *\Z', header.get('authorization', ''), re.I))


def _verifier(jwk: Mapping[str, Any], alg: str, protocol: str) -> Callable[[bytes, bytes], None]:
    """Raises InvalidSignature where a signature is none of the key's over some bytes."""
    fields = (f'{protocol}_use', 'proto_use', 'adcp_use')
    use = next((jwk[field] for field in fields if jwk.get(field) is not None), None)
    shape = (jwk.get('kty'), jwk.get('crv'), jwk.get('alg', _SHAPES[alg][2]))
    with refusing('signature_key_purpose_invalid', Exception):
        may_verify = isinstance(jwk['key_ops'], list) and 'verify' in jwk['key_ops']
        if use not in _USES or jwk['use'] != 'sig' or not may_verify or shape != _SHAPES[alg]:
            raise ValueError(f'use, key_ops, kty, crv or alg do not fit: {use!r}')
        if alg == 'ed25519':
            return ed25519.Ed25519PublicKey.from_public_bytes(decode_token(jwk['x'])).verify
        point = b'\4' + decode_token(jwk['x']) + decode_token(jwk['y'])
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)

    def verify(signature: bytes, base: bytes) -> None:
        r, s = (int.from_bytes(half) for half in (signature[:32], signature[32:]))
        key.verify(utils.encode_dss_signature(r, s), base, ec.ECDSA(SHA256()))

    return verify
