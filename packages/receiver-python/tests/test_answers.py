import json
import unittest

import signing
import vectors
from media_buy_receiver import Bearer, Hmac, MemoryInbox, MemoryReplayStore, Receiver, Refused, Rules, Signed

TOKEN = 'a-token-of-forty-characters-1234567890ab'
JSON = ('Content-Type', 'application/json')
HEADERS = [JSON, ('Authorization', f'Bearer {TOKEN}')]


def event(key='k1', second=1, **more):
    timestamp = f'2026-03-01T12:00:0{second}.000Z'
    return {'idempotency_key': key, 'task_id': 't1', 'status': 'working', 'timestamp': timestamp, **more}


def post(receiver, body=None, headers=HEADERS, method='POST'):
    content = body if isinstance(body, bytes) else json.dumps(body or event()).encode()
    return receiver.handle(method, '/webhooks', headers, lambda most: content[:most])


class Inbox(MemoryInbox):
    """Answers every claim alike."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def claim(self, event, owner, now):
        return self.answer


def target_after(receiver, target):
    content = json.dumps(event()).encode()
    return receiver.handle('POST', target, HEADERS, lambda most: content[:most])


def open_receiver(**options):
    handled = []
    given = {
        'registration': Bearer(TOKEN, 'seller'),
        'rules': Rules(MemoryReplayStore()),
        'inbox': MemoryInbox(),
        'on_event': lambda webhook: handled.append(webhook.event['idempotency_key']),
        **options,
    }
    return Receiver('https://buyer.example', **given), handled


def failing(error):
    def fail(*_):
        raise error

    return fail


def unsigned_by_anybody():
    """A signature that passes all checks before the key's."""
    components = '"@method" "@target-uri" "@authority" "content-type" "content-digest"'
    params = 'created=1000;expires=1300;nonce="AAAAAAAAAAAAAAAAAAAAAA";keyid="k";alg="ed25519";tag="proto/webhook-signing/v1"'
    return [
        JSON,
        ('Content-Digest', f'sha-256=:{"A" * 43}:'),
        ('Signature-Input', f'sig1=({components});{params}'),
        ('Signature', f'sig1=:{"A" * 86}:'),
    ]


class Answers(unittest.TestCase):
    def test_a_target_that_goes_on_naming_the_host_is_refused(self):
        for target in ('@evil.example/x', '.evil.example/x', 'fo://x/webhooks', '*', ''):
            receiver, handled = open_receiver()
            answer = target_after(receiver, target)
            self.assertEqual((answer.status, answer.code, handled), (401, 'webhook_target_uri_malformed', []))

    def answered(self, expected, receiver, **sent):
        answer = post(receiver, **sent)
        self.assertEqual((answer.status, answer.outcome), expected)
        return answer

    def test_each_event_is_handled_once_and_an_older_state_is_left_out(self):
        receiver, handled = open_receiver()
        self.answered((200, 'handled'), receiver, body=event('k2', 2))
        self.answered((200, 'duplicate'), receiver, body=event('k2', 2))
        self.answered((200, 'stale'), receiver, body=event('k1', 1))
        self.answered((200, 'handled'), receiver, body=event('k3', 2, status='completed'))
        self.answered((200, 'stale'), receiver, body=event('k4', 2))
        self.assertEqual(handled, ['k2', 'k3'])

    def test_a_handler_that_raises_has_the_event_sent_again(self):
        calls = []

        def on_event(webhook):
            calls.append(webhook)
            if len(calls) == 1:
                raise OSError('disk full')

        receiver, _ = open_receiver(on_event=on_event)
        self.assertIn('disk full', self.answered((500, 'failed'), receiver).reason)
        self.answered((200, 'handled'), receiver)

    def test_what_is_refused_before_any_proof(self):
        receiver, handled = open_receiver()
        self.assertIn(('Allow', 'POST'), self.answered((405, 'not_a_post'), receiver, method='GET').headers)
        self.answered((415, 'refused'), receiver, headers=[('Content-Type', 'text/plain'), HEADERS[1]])
        self.answered((413, 'refused'), receiver, body=b' ' * 1_048_577)
        nowhere, _ = open_receiver(registration=lambda _target: None)
        self.answered((404, 'unknown_endpoint'), nowhere)
        self.assertEqual(handled, [])

    def test_a_401_says_its_code_and_nothing_more(self):
        receiver, _ = open_receiver()
        answer = self.answered((401, 'refused'), receiver, headers=[JSON])
        challenge = 'Signature error="webhook_signature_header_malformed"'
        self.assertEqual(dict(answer.headers)['WWW-Authenticate'], challenge)
        self.assertEqual(json.loads(answer.body), {'error': 'webhook_signature_header_malformed'})
        mismatch = post(receiver, headers=[JSON, ('X-PROTO-Signature', 'x')])
        self.assertEqual(mismatch.code, 'webhook_mode_mismatch')

    def test_what_is_worth_a_second_try_says_when(self):
        full, _ = open_receiver(inbox=Inbox('full'))
        busy, _ = open_receiver(inbox=Inbox('busy'), wait=0)
        resolve = failing(OSError('connection refused'))
        keyless, _ = open_receiver(registration=Signed(resolve, 'seller'), rules=Rules(MemoryReplayStore(), now=lambda: 1100))
        for answer in (
            self.answered((429, 'full'), full),
            self.answered((503, 'busy'), busy),
            self.answered((503, 'refused'), keyless, headers=unsigned_by_anybody()),
        ):
            self.assertEqual(dict(answer.headers)['Retry-After'], '5')

    def test_what_is_no_event_or_not_expected(self):
        receiver, _ = open_receiver(expects=lambda operation_id, _event: operation_id == 'op-1')
        self.answered((404, 'unexpected'), receiver)
        self.answered((200, 'handled'), receiver, body=event(operation_id='op-1'))
        self.answered((400, 'unreadable'), receiver, body=event(status='active'))
        self.answered((400, 'unreadable'), receiver, body={'task_id': 't1'})

    def test_what_is_unreadable_is_told_by_code(self):
        receiver, _ = open_receiver()
        answer = self.answered((400, 'unreadable'), receiver, body=event(status='active'))
        self.assertEqual(json.loads(answer.body), {'error': 'webhook_status_unknown'})
        self.assertIn('active', answer.reason)

    def test_of_several_origins_host_names_the_one_that_was_called(self):
        origins = ('https://buyer.example', 'http://other.example:8080')
        for origin, host, expected in (
            (origins[0], 'BUYER.example:443', (200, 'handled')),
            (origins[1], 'other.example:8080', (200, 'handled')),
            (origins[0], 'other.example:8080', (401, 'refused')),
            (origins[0], 'evil.example', (401, 'refused')),
            (origins[0], None, (401, 'refused')),
        ):
            agreed, of = Signed(vectors.keys(), 'seller'), Rules(MemoryReplayStore(), now=lambda: 1000)
            receiver = Receiver(origins, agreed, of, MemoryInbox(), lambda _webhook: None)
            body = json.dumps(event()).encode()
            headers = [*signing.signed(origin, '/webhooks', body, 1000), *([] if host is None else [('Host', host)])]
            with self.subTest(origin, host=host):
                self.answered(expected, receiver, body=body, headers=headers)

    def test_a_body_is_read_only_of_what_may_be_taken_and_no_further_than_needed(self):
        asked = []

        def read(most):
            asked.append(most)
            raise OSError('reset')

        receiver, _ = open_receiver()
        for target, headers in (('/webhooks', [('Content-Type', 'text/plain')]), ('x', HEADERS)):
            self.assertEqual(receiver.handle('POST', target, headers, read).outcome, 'refused')
        self.assertEqual(asked, [])
        answer = receiver.handle('POST', '/webhooks', HEADERS, read)
        self.assertEqual((answer.status, answer.outcome, asked), (500, 'failed', [1_048_577]))
        self.assertNotIn(b'reset', answer.body)

    def test_what_a_handler_raises_is_never_a_refusal_of_the_sender(self):
        receiver, _ = open_receiver(on_event=failing(Refused('signature_invalid')))
        self.answered((500, 'failed'), receiver)


class Construction(unittest.TestCase):
    def test_empty_and_weak_secrets_raise(self):
        for secret in ('', 'x' * 31, 'x' * 40, [], [TOKEN, ''], None):
            for kind in (Hmac, Bearer):
                with self.subTest(secret=secret, kind=kind), self.assertRaises(ValueError):
                    kind(secret, 'seller')

    def test_no_secret_is_told_by_what_prints_a_receiver(self):
        agreed = Hmac(TOKEN, 'seller')
        for value in (agreed, Bearer([TOKEN], 'seller'), open_receiver(registration=agreed)[0]):
            self.assertNotIn(TOKEN, f'{value!r} {value}')

    def test_a_registration_that_is_none_raises(self):
        for registration in (None, TOKEN):
            with self.subTest(registration), self.assertRaises(ValueError):
                open_receiver(registration=registration)

    def test_a_public_url_that_is_no_origin_raises(self):
        for url in ('', [], 'buyer.example', 'https://buyer.example/webhooks', 'ftp://buyer.example'):
            with self.subTest(url=url), self.assertRaises(ValueError):
                Receiver(url, Bearer(TOKEN, 's'), Rules(MemoryReplayStore()), MemoryInbox(), print)


if __name__ == '__main__':
    unittest.main()
