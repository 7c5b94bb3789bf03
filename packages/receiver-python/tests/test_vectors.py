import unittest

import vectors
from media_buy_receiver import (
    Bearer,
    Hmac,
    MemoryReplayStore,
    Refused,
    Request,
    Rules,
    Signed,
    Unreadable,
    keys_of,
    read_event,
    verify_webhook,
)

KEYS = vectors.read('keys')
AGREED = {
    'rfc9421': Signed(keys_of(KEYS['jwks'])),
    'hmac-sha256': Hmac(KEYS['hmac_secret'], 'seller'),
    'bearer': Bearer(KEYS['bearer_token'], 'seller'),
}


class NoRoom:
    """Remembers nonces with no room left: from the start, or when this one is to be recorded."""

    def __init__(self, is_full_at_once):
        self.is_full_at_once = is_full_at_once

    def is_full(self, keyid, now):
        return self.is_full_at_once

    def record(self, keyid, nonce, until, now):
        return 'full'


def verdict(vector, rules):
    sent = vector['request']
    request = Request(sent['method'], sent['url'], sent['headers'].items(), sent['body'].encode())
    try:
        verify_webhook(request, AGREED[vector['registration']], rules)
    except Refused as refused:
        return refused.code, refused.status
    return 'ok', 200


class Requests(unittest.TestCase):
    def test_every_request_gets_its_verdict(self):
        for vector in vectors.read('requests'):
            with self.subTest(vector['name']):
                replay = NoRoom(vector['nonces'] == 'full') if 'nonces' in vector else MemoryReplayStore()
                standing_of = (lambda _keyid, vector=vector: vector['standing']) if 'standing' in vector else None
                rules = Rules(replay, standing_of=standing_of, now=lambda vector=vector: vector['now'])
                for _ in range(vector.get('before', 0)):
                    self.assertEqual(verdict(vector, rules), ('ok', 200))
                self.assertEqual(verdict(vector, rules), (vector['expect'], vector['status']))


class Events(unittest.TestCase):
    def test_every_body_is_read_as_its_event(self):
        for vector in vectors.read('events'):
            with self.subTest(vector['name']):
                try:
                    event, _ = read_event(vector['body'].encode())
                except Unreadable:
                    event = None
                self.assertEqual(event, vector['event'])


if __name__ == '__main__':
    unittest.main()
