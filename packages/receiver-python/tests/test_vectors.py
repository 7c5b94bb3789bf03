import unittest

import vectors
from media_buy_receiver import Bearer, Hmac, MemoryReplayStore, Refused, Request, Rules, Signed
from media_buy_receiver import read_event, verify_webhook

KEYS = vectors.read('keys')
AGREED = {
    'rfc9421': Signed(vectors.keys(), 'seller'),
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
                standing, now = vector.get('standing', 'good'), vector['now']
                rules = Rules(replay, standing_of=lambda _keyid, say=standing: say, now=lambda at=now: at)
                for _ in range(vector.get('before', 0)):
                    self.assertEqual(verdict(vector, rules), ('ok', 200))
                self.assertEqual(verdict(vector, rules), (vector['expect'], vector['status']))


class Events(unittest.TestCase):
    def test_every_body_is_read_as_its_event(self):
        for vector in vectors.read('events'):
            with self.subTest(vector['name']):
                try:
                    event, _ = read_event(vector['body'].encode())
                except Refused:
                    event = None
                self.assertEqual(event, vector['event'])


if __name__ == '__main__':
    unittest.main()
