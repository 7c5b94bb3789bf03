"""What is read as both ends read it, by table: each line a guard that the vectors do not reach."""

import unittest

from media_buy_receiver import Refused, order_of, read_event
from media_buy_receiver._wire import authority, decode_token, instant_of, member, params_of, strict_json, target_uri

BYTES = b'\xfb\xff\xfe'


class Urls(unittest.TestCase):
    def test_a_url_has_one_form(self):
        for url, path in (
            ('HTTPS://Buyer.Example:443', '/'),
            ('https://buyer.example./?', '/?'),
            ('https://u:p@buyer.example/%7euser/%c3%a9%2f', '/~user/%C3%A9%2F'),
            ('https://buyer.example/a/./b/../c//d/..', '/a/c//'),
            ('https://buyer.example/../x/.#fragment', '/x/'),
            ('https://buyer.example/%2E%2e/x?a=%2f/../b', '/x?a=%2f/../b'),
            ('https://buyer.example/...', '/...'),
        ):
            with self.subTest(url):
                self.assertEqual(target_uri(url), ('https', 'buyer.example', path))

    def test_what_cannot_be_signed_has_none(self):
        paths = ('%', '%2', '%zz', ' ', '\\', 'é', '\t', '?\x7f', '?a b', '?é')
        hosts = (
            '',
            'a..example',
            '.example',
            'a b',
            'bücher.example',
            '\u212a.example',
            'a:65536',
            'a:x',
            '::1',
            'a@b@',
            '[::1%25x]',
        )
        others = (
            'ftp://buyer.example/',
            'http\u017f://buyer.example/',
            'buyer.example/',
            '//buyer.example/',
            f'https://buyer.example/{"a" * 8192}',
        )
        for url in (*(f'https://buyer.example/{path}' for path in paths), *(f'https://{host}/' for host in hosts), *others):
            with self.subTest(url[:60]):
                self.assertEqual(target_uri(url), ('', '', ''))

    def test_a_port_is_told_unless_it_is_the_schemes_own(self):
        told = {'a:80': 'a:80', 'a:443': 'a', 'a:': 'a', 'A.:0443': 'a', '[::1]:8080': '[::1]:8080', 'u@a': '', 'a, a': ''}
        self.assertEqual({text: authority(text, 'https') for text in told}, told)
        self.assertEqual(authority('a:80', 'http'), 'a')


class Tokens(unittest.TestCase):
    def test_of_all_spellings_within_an_alphabet_one_is_taken(self):
        for token in ('-__-', '+//+'):
            self.assertEqual(decode_token(token), BYTES)
        for token in ('QQ', 'QQ=='):
            self.assertEqual(decode_token(token), b'A')
        for token in ('-//+', 'QR', 'QR==', 'QQ=', 'Q', 'QQ===', 'Q Q', 'QQ\n', '-_8=', 'é', '=='):
            with self.subTest(token), self.assertRaises(ValueError):
                decode_token(token)


class Headers(unittest.TestCase):
    def test_a_header_that_does_not_parse_as_a_whole_has_no_member(self):
        self.assertEqual(member('a=:QQ:,\tsig1=("x";p=1  "y" );b;c=?1 , z=()', 'sig1'), '("x";p=1  "y" );b;c=?1')
        for header in (
            *('', 'sig1', 'sig1=', 'sig1=("x"', 'sig1=("x""y")', 'sig1=("x") ;a', 'sig1=(x)', 'sig1=:Q', 'sig1="x"'),
            *('sig1=(),', ',sig1=()', 'sig1=() a=()', 'Sig1=()', 'sig1=();A', 'sig1=();a=', 'sig1=();a="\\x"', 'sig1=();a="é"'),
            *('sig1=(),sig1=()', f'sig1=();a={"b" * 8192}', 'sig1=()\n', 'other=()'),
        ):
            with self.subTest(header[:40]), self.assertRaises((ValueError, KeyError)):
                member(header, 'sig1')

    def test_a_parameter_is_of_its_type_and_there_once(self):
        types = {'created': int, 'nonce': str}
        self.assertEqual(params_of(';nonce="a\\"\\\\";created=-5;other=tok', types), {'created': -5, 'nonce': 'a"\\'})
        wrong = ('="5"', '=1.0', '=true', '=?1', '=:QQ:', '=1e5', '=+5', '=1_0', '', '=5;created=5')
        for text in (*(f';created{value}' for value in wrong), ';nonce=5', ';nonce=abc', ';nonce'):
            with self.subTest(text), self.assertRaises(ValueError):
                params_of(text, types)


class Bodies(unittest.TestCase):
    def test_what_parsers_read_differently_is_malformed(self):
        self.assertEqual(strict_json(b'{"a": 12345678901234567890}'), {'a': 12345678901234567890})
        for body in (
            b'{"a":1,"a":1}',
            b'[{"b":1,"b":2}]',
            b'NaN',
            b'[-Infinity]',
            b'\xef\xbb\xbf{}',
            b'"\xff"',
            b'{} x',
            b'',
            b'[' * 100_000,
        ):
            with self.subTest(body[:20]), self.assertRaises(Refused) as refused:
                strict_json(body)
            self.assertEqual(refused.exception.code, 'webhook_body_malformed')


class Events(unittest.TestCase):
    def code(self, body):
        with self.assertRaises(Refused) as refused:
            read_event(body)
        self.assertEqual(refused.exception.status, 400)
        return refused.exception.code

    def test_what_is_no_event_says_why(self):
        key = b'"idempotency_key":'
        self.assertEqual(self.code(b'["idempotency_key"]'), 'webhook_body_not_an_object')
        for value in (b'""', b'5', b'null', b'"%s"' % (b'x' * 256)):
            self.assertEqual(self.code(b'{%s%s}' % (key, value)), 'webhook_idempotency_key_missing')
        for status in (b'"active"', b'"TASK_STATE_WORKING"'):
            self.assertEqual(self.code(b'{%s"k","task_id":"t","status":%s}' % (key, status)), 'webhook_status_unknown')
        for state in (b'WORKING', b'TASK_STATE_ACTIVE', b'input_required'):
            self.assertEqual(self.code(b'{"status":{"state":"%s"}}' % state), 'webhook_status_unknown')

    def test_a_field_of_another_type_is_none(self):
        body = b'{"idempotency_key":"k","task_id":5,"status":"working","message":{"parts":[]},"context_id":"c","result":null}'
        event, _ = read_event(body)
        self.assertEqual(
            event, {'format': 'other', 'idempotency_key': 'k', 'is_final': False, 'status': 'working', 'result': None}
        )

    def test_of_a2a_parts_the_first_tells_a_state_and_the_last_of_the_first_artifact_a_result(self):
        def task(state):
            parts = b'[5,{"text":7},{"text":"one"},{"data":1},{"text":"two"},{"data":2}]'
            artifacts = b'["x",{"parts":[{"data":3},{"data":4},{"text":"t"}]},{"parts":[{"data":5}]}]'
            status = b'{"state":"%s","message":{"parts":%s}}' % (state, parts)
            return read_event(b'{"task":{"id":"t","status":%s,"artifacts":%s}}' % (status, artifacts))[0]

        for state, result in ((b'working', 1), (b'TASK_STATE_COMPLETED', 4)):
            self.assertEqual((task(state)['result'], task(state)['message'], task(state)['task_id']), (result, 'one', 't'))


class Order(unittest.TestCase):
    def test_an_instant_is_told_in_milliseconds_or_is_none(self):
        for text, instant in (
            ('1970-01-01T00:00:01Z', 1000),
            ('1970-01-01 01:00:00.0019+01:00', 1),
            ('1970-01-01t00:00:00.123456789z', 123),
            *(
                (text, None)
                for text in ('1970-01-01T00:00:00', '1970-01-01', '19700101T000000Z', '1970-13-01T00:00:00Z', '', 'x')
            ),
            *((value, None) for value in (None, 5, True, {})),
        ):
            with self.subTest(text):
                self.assertEqual(instant_of(text), instant)

    def test_only_a_state_has_an_order(self):
        event = {'format': 'mcp', 'is_final': False, 'task_id': 't', 'timestamp': '1970-01-01T00:00:01Z'}
        self.assertEqual(order_of(event), ('task t', 1000))
        self.assertEqual(order_of({**event, 'is_final': True}), ('task t', 1000.5))
        self.assertEqual(order_of({**event, 'format': 'other', 'notification_id': 'n'}), ('notification n', 1000))
        for more in (
            {'format': 'other'},
            {'timestamp': 'x'},
            {'result': {'notification_type': 'delayed'}, 'notification_id': 'n'},
        ):
            self.assertIsNone(order_of({**event, **more}))


if __name__ == '__main__':
    unittest.main()
