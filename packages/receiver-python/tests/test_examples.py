"""The examples, each with a webhook whose signature covers an escaped path and query, and one that is tampered with."""

import contextlib
import importlib
import importlib.util
import io
import json
import sys
import time
import types
import unittest
from pathlib import Path
from wsgiref.util import setup_testing_defaults

import signing
import vectors
from media_buy_receiver import MemoryInbox, MemoryReplayStore, Receiver, Rules, Signed

ORIGIN = 'https://buyer.example'
TARGET = '/webhooks?seller=caf%C3%A9&x=%2Fy'
BODY = json.dumps({'idempotency_key': 'k1', 'task_id': 't1', 'status': 'working'}).encode()


def example(name, handled):
    """An example with a receiver that trusts the vectors' keys."""
    receiver = types.ModuleType('receiver')
    receiver.receiver = Receiver(
        public_url=ORIGIN,
        registration=Signed(vectors.keys(), 'seller'),
        rules=Rules(MemoryReplayStore()),
        inbox=MemoryInbox(),
        on_event=lambda webhook: handled.append(webhook.event['task_id']),
    )
    sys.modules['receiver'] = receiver
    for each in (name, 'wsgi_app'):
        sys.modules.pop(each, None)
    return importlib.import_module(name)


class Examples(unittest.TestCase):
    def setUp(self):
        folder = str(Path(__file__).resolve().parents[1] / 'examples')
        sys.path.insert(0, folder)
        self.addCleanup(sys.path.remove, folder)
        self.addCleanup(sys.modules.pop, 'receiver', None)
        self.handled = []

    def played(self, post):
        """`post(headers, body)` gives a status."""
        headers = signing.signed(ORIGIN, TARGET, BODY, time.time())
        with contextlib.redirect_stdout(io.StringIO()):
            statuses = [post(headers, body) for body in (BODY + b' ', BODY, BODY)]
        self.assertEqual(statuses, [401, 200, 401])
        self.assertEqual(self.handled, ['t1'])

    def test_plain_wsgi(self):
        application = example('wsgi_app', self.handled).application

        def post(headers, body):
            path, query = TARGET.split('?')
            environ = {'REQUEST_METHOD': 'POST', 'PATH_INFO': path, 'QUERY_STRING': query, 'CONTENT_LENGTH': str(len(body))}
            setup_testing_defaults(environ)
            environ['wsgi.input'].write(body)
            environ['wsgi.input'].seek(0)
            for name, value in headers:
                key = name.upper().replace('-', '_')
                environ['CONTENT_TYPE' if key == 'CONTENT_TYPE' else f'HTTP_{key}'] = value
            started = []
            application(environ, lambda status, _headers: started.append(int(status[:3])))
            return started[0]

        self.played(post)

    def test_plain_wsgi_signs_over_the_target_that_came_or_the_same_escaped_again(self):
        target_of = example('wsgi_app', self.handled).target_of
        split = {'SCRIPT_NAME': '', 'PATH_INFO': '/caf\u00c3\u00a9/a b~', 'QUERY_STRING': 'a=%2F'}
        self.assertEqual(target_of(split), '/caf%C3%A9/a%20b~?a=%2F')
        self.assertEqual(target_of({**split, 'REQUEST_URI': '/caf%c3%a9?x'}), '/caf%c3%a9?x')
        self.assertEqual(target_of({**split, 'RAW_URI': 'http://other.example/p?x'}), '/p?x')

    def test_plain_wsgi_tells_of_a_body_that_somebody_has_read(self):
        app = example('wsgi_app', self.handled)
        environ = {
            **{'REQUEST_METHOD': 'POST', 'PATH_INFO': '/webhooks', 'CONTENT_TYPE': 'application/json'},
            **{'CONTENT_LENGTH': '10', 'wsgi.input': io.BytesIO()},
        }
        started, told = [], io.StringIO()
        with contextlib.redirect_stdout(told):
            app.application(environ, lambda status, _headers: started.append(status))
        self.assertEqual(started, ['500 Internal Server Error'])
        self.assertIn('was read before', told.getvalue())

    def test_flask(self):
        if importlib.util.find_spec('flask') is None:
            self.skipTest('there is no Flask')
        client = example('flask_app', self.handled).app.test_client()
        self.played(lambda headers, body: client.post(TARGET, headers=headers, data=body).status_code)

    def test_fastapi(self):
        if importlib.util.find_spec('fastapi') is None:
            self.skipTest('there is no FastAPI')
        from fastapi.testclient import TestClient

        client = TestClient(example('fastapi_app', self.handled).app, base_url=ORIGIN)
        self.played(lambda headers, body: client.post(TARGET, headers=dict(headers), content=body).status_code)


if __name__ == '__main__':
    unittest.main()
