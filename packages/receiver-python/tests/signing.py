"""Signs as the agent does, with the vectors' private key, which is public: never trust it."""

import base64
import hashlib
import secrets

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import vectors

KEYID = 'vector-ed25519'


def token(octets):
    return base64.urlsafe_b64encode(octets).decode().rstrip('=')


def signed(origin, target, body, now, **changed):
    """The headers of a webhook to a URL, as pairs. `changed` parameters are signed as they are given, None for none."""
    jwk = vectors.read('keys')['private_jwks']['ed25519']
    key = Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(jwk['d'] + '='))
    digest = f'sha-256=:{token(hashlib.sha256(body).digest())}:'
    nonce, tag = f'"{token(secrets.token_bytes(16))}"', '"proto/webhook-signing/v1"'
    told = {
        'created': int(now),
        'expires': int(now) + 300,
        'nonce': nonce,
        'keyid': f'"{KEYID}"',
        'alg': '"ed25519"',
        'tag': tag,
    }
    written = ''.join(f';{name}={value}' for name, value in {**told, **changed}.items() if value is not None)
    params = f'("@method" "@target-uri" "@authority" "content-type" "content-digest"){written}'
    base = (
        f'"@method": POST\n"@target-uri": {origin}{target}\n"@authority": {origin.split("//")[1]}\n'
        f'"content-type": application/json\n"content-digest": {digest}\n"@signature-params": {params}'
    )
    return [
        ('Content-Type', 'application/json'),
        ('Content-Digest', digest),
        ('Signature-Input', f'sig1={params}'),
        ('Signature', f'sig1=:{token(key.sign(base.encode()))}:'),
    ]
