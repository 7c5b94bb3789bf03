"""What there is beside a client that buys: where it hears of webhooks, and the person at the seller who decides."""

import asyncio
import http.server
import json
import threading
import urllib.request

from steps import BASE_URL, OPERATOR_KEY


class Receiver:
    """Keeps what it is sent, byte for byte."""

    def __init__(self):
        received = self.received = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers['content-length']))
                received.append((f'http://{self.headers["host"]}{self.path}', dict(self.headers), body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f'http://127.0.0.1:{self.server.server_port}'

    async def told(self, path, status):
        """The first webhook at a path that tells this status."""
        while True:
            for url, headers, body in list(self.received):
                if url.endswith(path) and json.loads(body).get('status') == status:
                    return url, headers, body
            await asyncio.sleep(0.05)


async def approve(task_id):
    """Grants what a task waits for, as a person at the seller does."""

    def call(path, body=None):
        headers = {'authorization': f'Bearer {OPERATOR_KEY}', 'content-type': 'application/json'}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f'{BASE_URL}/api/operator{path}', data, headers)) as answer:
            return json.load(answer)

    while True:
        waiting = await asyncio.to_thread(call, '/approvals?status=pending&limit=100')
        for one in waiting['approvals']:
            if one['task_id'] == task_id:
                return await asyncio.to_thread(call, f'/approvals/{one["approval_id"]}/approve', {})
        await asyncio.sleep(0.05)
