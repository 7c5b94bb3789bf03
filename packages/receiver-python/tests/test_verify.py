"""Guards of verifying that the vectors do not reach, each with a webhook that is right but for one thing."""

import base64
import hashlib
import unittest

import signing
import vectors
from media_buy_receiver import KeyNotFound, MemoryReplayStore, Signed
from verdicts import BODY, JWK, NOW, ORIGIN, code, failing, rules, signed, with_header


class Parameters(unittest.TestCase):
    def test_each_one_is_looked_at(self):
        short = f'"{signing.token(bytes(15))}"'
        for changed, expected in (
            ({}, 'ok'),
            ({'created': NOW + 60}, 'ok'),
            ({'created': NOW + 61}, 'window_invalid'),
            ({'created': NOW - 360, 'expires': NOW - 60}, 'ok'),
            ({'created': NOW - 300, 'expires': NOW - 61}, 'window_invalid'),
            ({'expires': NOW + 301}, 'window_invalid'),
            ({'created': NOW, 'expires': NOW}, 'window_invalid'),
            ({'created': NOW + 1, 'expires': NOW}, 'window_invalid'),
            ({'nonce': short}, 'header_malformed'),
            ({'nonce': '"*"'}, 'header_malformed'),
            ({'created': f'"{NOW}"'}, 'header_malformed'),
            ({'keyid': 'token'}, 'header_malformed'),
            ({'tag': '"proto/webhook-signing/v2"'}, 'tag_invalid'),
            ({'tag': None}, 'params_incomplete'),
            ({'alg': '"rsa-v1_5-sha256"'}, 'alg_not_allowed'),
            ({'alg': '"ecdsa-p256-sha256"'}, 'key_purpose_invalid'),
            ({'other': '"("'}, 'ok'),
        ):
            with self.subTest(changed):
                self.assertEqual(code(signed(**changed)), expected)

    def test_a_tag_is_of_the_protocol_that_was_agreed(self):
        tag = '"adcp/webhook-signing/v1"'
        self.assertEqual(code(signed(tag=tag), of=rules(protocol='adcp')), 'ok')
        self.assertEqual(code(signed(), of=rules(protocol='adcp')), 'tag_invalid')

    def test_each_header_is_looked_at(self):
        text = dict(signed())['Signature-Input']
        digest = signing.token(hashlib.sha256(BODY).digest())
        for name, value, expected in (
            ('Signature', None, 'header_malformed'),
            ('Signature-Input', None, 'header_malformed'),
            ('Signature', 'sig2=:QQ:', 'header_malformed'),
            ('Signature', 'sig1=:QQ:', 'invalid'),
            ('Signature', 'sig1=("a")', 'header_malformed'),
            ('Content-Digest', None, 'components_incomplete'),
            ('Content-Digest', 'sha-256=:QQ:', 'header_malformed'),
            ('Content-Digest', f'sha-512=:{digest}:', 'header_malformed'),
            ('Content-Digest', f'sha-256=:{digest}:, sha-512=:QQ:', 'invalid'),
            ('Signature-Input', text.replace(' "content-type"', ''), 'components_incomplete'),
            ('Signature-Input', text.replace('"@method"', '"@method";req'), 'components_incomplete'),
            ('Signature-Input', text.replace('"@method"', '"@method" "@method"'), 'components_incomplete'),
            ('Signature-Input', text.replace('"@method"', '"@method" "host"'), 'components_incomplete'),
        ):
            with self.subTest(name, value=value):
                self.assertEqual(code(with_header(name, value)), expected)

    def test_another_method_url_type_or_body_was_not_signed(self):
        self.assertEqual(code(signed(), url=ORIGIN + '/webhooks'), 'invalid')
        self.assertEqual(code(with_header('Content-Type', 'application/json; charset=utf-8')), 'invalid')
        self.assertEqual(code(signed(), body=BODY + b' '), 'digest_mismatch')

    def test_a_host_that_is_told_is_that_of_the_url(self):
        for name in ('Host', ':authority'):
            for host, expected in (
                ('BUYER.example.:443', 'ok'),
                ('evil.example', 'target_uri_malformed'),
                ('', 'target_uri_malformed'),
            ):
                self.assertEqual(code([*signed(), (name, host)]), expected)


class Keys(unittest.TestCase):
    def test_a_key_is_for_this_and_of_this_algorithm(self):
        for changed, expected in (
            *(
                ({'proto_use': use, 'adcp_use': 'request-signing'}, 'key_purpose_invalid')
                for use in ('response-signing', ['x'])
            ),
            ({'proto_use': None, 'adcp_use': 'webhook-signing'}, 'ok'),
            ({'proto_use': None}, 'key_purpose_invalid'),
            *(({'key_ops': value}, 'key_purpose_invalid') for value in ('verify', [], ['sign'], None, 5)),
            *(({'use': value}, 'key_purpose_invalid') for value in ('enc', None)),
            *(
                ({'kty': 'EC'}, 'key_purpose_invalid'),
                ({'crv': 'X25519'}, 'key_purpose_invalid'),
                ({'alg': 'ES256'}, 'key_purpose_invalid'),
            ),
            *(({'x': value}, 'key_purpose_invalid') for value in (None, 5, 'QQ', '*')),
        ):
            with self.subTest(changed):
                self.assertEqual(code(signed(), Signed(lambda _keyid: {**JWK, **changed}, 'seller')), expected)

    def test_what_is_signed_from_its_revocation_on_counts_no_more(self):
        for at, expected in (
            ('2027-01-15T08:00:00Z', 'key_revoked'),
            ('2027-01-15T08:00:01Z', 'ok'),
            *((value, 'key_revoked') for value in ('', 'soon', 0, False, '2099-01-01', '1969-12-31T23:59:59Z')),
            (None, 'ok'),
        ):
            with self.subTest(at):
                self.assertEqual(code(signed(), Signed(lambda _keyid: {**JWK, 'revoked_at': at}, 'seller')), expected)

    def test_only_a_good_standing_is_good(self):
        for standing, expected in (
            ('good', 'ok'),
            ('revoked', 'key_revoked'),
            ('stale', 'revocation_stale'),
            ('?', 'revocation_stale'),
        ):
            self.assertEqual(code(signed(), of=rules(standing_of=lambda _keyid: standing)), expected)

    def test_an_ecdsa_signature_is_of_64_bytes(self):
        vector = next(each for each in vectors.read('requests') if each['name'] == 'ecdsa-p256-sha256: right')
        sent = vector['request']
        raw = base64.urlsafe_b64decode(sent['headers']['Signature'].split(':')[1] + '==')
        self.assertEqual(len(raw), 64)
        for octets, expected in (
            (raw, 'ok'),
            (raw[:32] + b'\0' + raw[32:], 'invalid'),
            (bytes(64), 'invalid'),
            (raw[:63], 'invalid'),
        ):
            headers = {**sent['headers'], 'Signature': f'sig1=:{signing.token(octets)}:'}.items()
            agreed, of = Signed(vectors.keys(), 'seller'), rules(now=lambda: vector['now'])
            self.assertEqual(code(headers, agreed, of, sent['body'].encode(), sent['url']), expected)


class Stores(unittest.TestCase):
    def test_what_cannot_be_looked_up_is_no_word_about_the_sender(self):
        class Broken(MemoryReplayStore):
            record = is_full = failing(ValueError('away'))

        self.assertEqual(code(signed(), Signed(failing(KeyNotFound('404')), 'seller')), 'key_unknown')
        for error in (ValueError('x'), KeyError('x'), OSError('down'), TimeoutError()):
            self.assertEqual(code(signed(), Signed(failing(error), 'seller')), 'verifier_unavailable')
            self.assertEqual(code(signed(), of=rules(standing_of=failing(error))), 'verifier_unavailable')
        self.assertEqual(code(signed(), of=rules(replay=Broken())), 'verifier_unavailable')
        self.assertEqual(code([(5, 5)]), 'verifier_unavailable')

    def test_a_nonce_is_recorded_until_it_cannot_be_used_and_only_of_what_is_right(self):
        kept = []

        class Watched(MemoryReplayStore):
            def record(self, *told):
                kept.append(told)
                return super().record(*told)

        of = rules(replay=Watched())
        for headers in (signed(tag='"x"'), with_header('Signature', f'sig1=:{"A" * 86}:'), signed()):
            code(headers, of=of)
        code(signed(), of=of, body=b'')
        self.assertEqual([(keyid, until, now) for keyid, _, until, now in kept], [(signing.KEYID, NOW + 360, NOW)])


if __name__ == '__main__':
    unittest.main()
