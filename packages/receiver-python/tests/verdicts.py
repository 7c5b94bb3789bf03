"""A webhook that is right but for one thing, and what it is refused with."""

import signing
import vectors
from media_buy_receiver import MemoryReplayStore, Refused, Request, Rules, Signed, verify_webhook

ORIGIN, TARGET, BODY, NOW = 'https://buyer.example', '/webhooks?a=%2F', b'{"task_id":"t1"}', 1_800_000_000
KEYS = vectors.read('keys')
JWK = {jwk['kid']: jwk for jwk in KEYS['jwks']['keys']}[signing.KEYID]
SECRET, TOKEN = KEYS['hmac_secret'], KEYS['bearer_token']


def rules(**more):
    return Rules(**{'replay': MemoryReplayStore(), 'now': lambda: NOW, **more})


def code(headers, agreed=None, of=None, body=BODY, url=ORIGIN + TARGET):
    """What a webhook is refused with; `ok` where it is not."""
    try:
        sender = verify_webhook(
            Request('POST', url, headers, body), agreed or Signed(lambda _keyid: JWK, 'seller'), of or rules()
        )
    except Refused as refused:
        return refused.code.removeprefix('webhook_').removeprefix('signature_')
    return 'ok' if sender == 'seller' else sender


def signed(**changed):
    return signing.signed(ORIGIN, TARGET, BODY, NOW, **changed)


def with_header(name, value, headers=None):
    return [pair for pair in headers or signed() if pair[0] != name] + ([] if value is None else [(name, value)])


def failing(error):
    def fail(*_):
        raise error

    return fail
