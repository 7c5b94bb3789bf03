"""Signs as the agent does, with the vectors' private key, which is public: never trust it."""

import base64
import hashlib
import secrets

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import vectors

KEYID = 'vector-ed25519'


def token(octets):
    return base64.urlsafe_b64encode(octets).decode().rstrip('=')


def signed(origin, target, body, now):
    """The headers of a webhook to a URL, as pairs."""
    jwk = vectors.read('keys')['private_jwks']['ed25519']
    key = Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(jwk['d'] + '='))
    digest = f'sha-256=:{token(hashlib.sha256(body).digest())}:'
    times = f'created={int(now)};expires={int(now) + 300};nonce="{token(secrets.token_bytes(16))}"'
    components = '("@method" "@target-uri" "@authority" "content-type" "content-digest")'
    params = f'{components};{times};keyid="{KEYID}";alg="ed25519";tag="proto/webhook-signing/v1"'
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
