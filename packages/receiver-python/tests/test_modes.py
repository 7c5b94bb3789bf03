"""What is looked at before any signature, and the deprecated modes, with a webhook that is right but for one thing."""

import hashlib
import hmac
import unittest

from media_buy_receiver import Bearer, Hmac
from verdicts import BODY, NOW, SECRET, TOKEN, code, signed


class Modes(unittest.TestCase):
    def test_nothing_is_tried_that_was_not_agreed(self):
        bearer, mac = ('Authorization', f'Bearer {TOKEN}'), ('X-PROTO-Signature', 'x')
        agreed = {'signed': None, 'hmac': Hmac(SECRET, 'seller'), 'bearer': Bearer(TOKEN, 'seller')}
        only = [('Content-Type', 'application/json')]
        for headers, mode, expected in (
            ([*signed(), bearer], 'signed', 'ok'),
            ([*signed(), mac], 'signed', 'mode_mismatch'),
            ([*signed(), bearer], 'bearer', 'mode_mismatch'),
            ([*only, mac, bearer], 'bearer', 'mode_mismatch'),
            ([*only, mac, bearer], 'hmac', 'header_malformed'),
            ([*only, bearer], 'signed', 'mode_mismatch'),
            ([*only, ('Authorization', 'Basic eA==')], 'signed', 'header_malformed'),
            ([*only, ('X-ADCP-Signature', 'x'), bearer], 'bearer', 'ok'),
        ):
            with self.subTest(headers, mode=mode):
                self.assertEqual(code(headers, agreed[mode]), expected)

    def test_any_of_several_secrets_will_do(self):
        mac = hmac.new(SECRET.encode(), f'{NOW}.'.encode() + BODY, hashlib.sha256).hexdigest()
        other = 'another-secret-of-forty-characters-12345'

        def sent(mac, at=NOW):
            return [('Content-Type', 'application/json'), ('X-PROTO-Signature', mac), ('X-PROTO-Timestamp', f'{at}')]

        for secrets in (SECRET, [SECRET], [other, SECRET], (SECRET, other)):
            self.assertEqual(code(sent(f'sha256={mac}'), Hmac(secrets, 'seller')), 'ok')
            self.assertEqual(code([*sent('')[:1], ('Authorization', f'bearer  {SECRET} ')], Bearer(secrets, 'seller')), 'ok')
        self.assertEqual(code(sent(f'sha256={mac}'), Hmac([other], 'seller')), 'invalid')
        for wrong in (mac, f'sha256={mac.upper()}', f'sha256={mac}\n0', f'sha256={mac[:-1]}', f'sha256={mac} 1'):
            self.assertEqual(code(sent(wrong), Hmac(SECRET, 'seller')), 'header_malformed')
        for at in ('', f'{NOW}.0', f'-{NOW}', f'{NOW}' * 2, '١٨'):
            self.assertEqual(code(sent(f'sha256={mac}', at), Hmac(SECRET, 'seller')), 'header_malformed')

    def test_a_token_is_compared_whatever_it_is_made_of(self):
        for shown in ('', 'é' * 40, f'{TOKEN} {TOKEN}', TOKEN[:-1]):
            headers = [('Content-Type', 'application/json'), ('Authorization', f'Bearer {shown}')]
            self.assertEqual(code(headers, Bearer(TOKEN, 'seller')), 'invalid')


class Content(unittest.TestCase):
    def test_only_plain_json_is_taken(self):
        for name, value, expected in (
            *(('Content-Type', value, 'ok') for value in ('application/json', 'Application/JSON ; charset="UTF-8"; v=1')),
            *(
                ('Content-Type', value, 'content_type_unsupported')
                for value in ('application/json; charset=latin1', 'text/json', '')
            ),
            ('Content-Type', 'application/json; a, text/plain', 'content_type_unsupported'),
            ('Content-Encoding', 'gzip', 'content_type_unsupported'),
            ('Content-Encoding', 'Identity', 'ok'),
        ):
            headers = {'Content-Type': 'application/json', 'Authorization': f'Bearer {TOKEN}', name: value}.items()
            with self.subTest(value):
                self.assertEqual(code(headers, Bearer(TOKEN, 'seller')), expected)
        twice = [
            ('Content-Type', 'application/json'),
            ('content-type', 'application/json'),
            ('Authorization', f'Bearer {TOKEN}'),
        ]
        self.assertEqual(code(twice, Bearer(TOKEN, 'seller')), 'content_type_unsupported')

    def test_a_mebibyte_is_the_most(self):
        headers = [('Content-Type', 'application/json'), ('Authorization', f'Bearer {TOKEN}')]
        for size, expected in ((1_048_576, 'ok'), (1_048_577, 'body_too_large')):
            self.assertEqual(code(headers, Bearer(TOKEN, 'seller'), body=b'{}'.ljust(size)), expected)


if __name__ == '__main__':
    unittest.main()
