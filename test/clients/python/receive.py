"""media-buy-receiver for Python: its own tests, and real webhooks of the agent, received on this machine."""

import asyncio
import json
import queue
import sys
import threading
import unittest
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / 'packages' / 'receiver-python'
sys.path[:0] = [str(PACKAGE / 'src'), str(PACKAGE / 'tests')]

from media_buy_receiver import MemoryInbox, MemoryReplayStore, PublishedKeys, Receiver, Rules, Signed
from steps import API_KEY, BASE_URL, STEP_SECONDS, Steps, buy, expect


def run_tests(name):
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
    faults = [f'{case}: {trace}' for case, trace in [*result.failures, *result.errors, *result.skipped]]
    expect(not faults, '; '.join(faults))
    expect(result.testsRun > 0, 'no test ran')


class Inbound:
    """A receiver that runs, and what became of each webhook it got."""

    def __init__(self):
        self.answers, self.events = queue.Queue(), []
        self.server = ThreadingHTTPServer(('127.0.0.1', 0), self.handler())
        origin = f'http://127.0.0.1:{self.server.server_port}'
        self.url = f'{origin}/webhooks?buyer=caf%C3%A9'
        self.receiver = Receiver(
            public_url=origin,
            registration=Signed(PublishedKeys(f'{BASE_URL}/.well-known/jwks.json'), BASE_URL),
            rules=Rules(MemoryReplayStore()),
            inbox=MemoryInbox(),
            on_event=self.events.append,
        )
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def handler(self):
        inbound = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers['Content-Length'])
                read = lambda most: self.rfile.read(min(length, most))
                answer = inbound.receiver.handle('POST', self.path, self.headers.items(), read)
                self.send_response(answer.status)
                for name, value in [*answer.headers, ('Content-Length', len(answer.body))]:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)
                inbound.answers.put(answer)

            def log_message(self, *_):
                pass

        return Handler

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def both(self, wire):
        """Waits for the two events of a buy. A final one that came first makes the other stale."""
        outcomes = [self.answers.get(timeout=STEP_SECONDS) for _ in range(2)]
        found = [(answer.status, answer.outcome, answer.code, answer.reason) for answer in outcomes]
        expect(all(answer.outcome in ('handled', 'stale') for answer in outcomes), str(found))
        final = self.events[-1]
        expect(final.event['status'] == 'completed', f'the last event is {final.event}')
        expect((final.event['format'], final.sender) == (wire, BASE_URL), str(final))
        expect(final.event['result']['media_buy_id'], 'no media_buy_id')


def send(skill_input, configuration):
    message = {
        'messageId': str(uuid.uuid4()),
        'role': 'ROLE_USER',
        'parts': [{'data': {'skill': 'create_media_buy', 'input': skill_input}}],
    }
    params = {'message': message, 'configuration': {'returnImmediately': True, **configuration}}
    body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'SendMessage', 'params': params}).encode()
    headers = {'Authorization': f'Bearer {API_KEY}', 'Content-Type': 'application/json', 'A2A-Version': '1.0'}
    request = urllib.request.Request(f'{BASE_URL}/a2a/jsonrpc', body, headers)
    with urllib.request.urlopen(request, timeout=STEP_SECONDS) as answer:
        told = json.load(answer)
    expect('result' in told, str(told))


def received(wire):
    inbound = Inbound()
    try:
        if wire == 'mcp':
            send({**buy(), 'push_notification_config': {'url': inbound.url, 'operation_id': 'op-1'}}, {})
        else:
            send(buy(), {'taskPushNotificationConfig': {'url': inbound.url}})
        inbound.both(wire)
        if wire == 'mcp':
            expect(inbound.events[-1].event['operation_id'] == 'op-1', 'another operation')
    finally:
        inbound.close()


async def main():
    tests = Steps('tests')
    for name in ('vectors', 'verify', 'modes', 'wire', 'answers', 'stores', 'keys', 'examples', 'size'):
        await tests.step(name, lambda name=name: asyncio.to_thread(run_tests, f'test_{name}'))
    webhooks = Steps('webhooks')
    for wire in ('mcp', 'a2a'):
        await webhooks.step(wire, lambda wire=wire: asyncio.to_thread(received, wire))


asyncio.run(main())
