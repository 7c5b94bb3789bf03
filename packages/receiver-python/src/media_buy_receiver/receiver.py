"""A webhook receiver: verified, expected, each event once, and the answer that the sender is to get."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable, NamedTuple, Sequence

from ._wire import authority, target_uri
from .events import Event, Unreadable, order_of, read_event
from .stores import Inbox, InboxEvent, handle_once
from .verify import MAX_BODY_BYTES, Bearer, Hmac, Refused, Request, Rules, Signed, headers_of, is_json, verify_webhook

_STATUS = {
    **dict.fromkeys(('handled', 'duplicate', 'stale'), 200),
    **{'unreadable': 400, 'unknown_endpoint': 404, 'unexpected': 404, 'not_a_post': 405, 'full': 429, 'failed': 500},
    'busy': 503,
}


class Webhook(NamedTuple):
    """For the handler: `json` is the whole body as it was read."""

    event: Event
    sender: str
    json: Any


class Answer(NamedTuple):
    """What the sender gets, and for your own people what became of it: `outcome`, and in `reason` what was found."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    outcome: str
    code: str | None
    reason: str


class Receiver:
    """`public_url`: the origin that senders call, or several of which `Host` names one; never the word of a request alone.
    `registration`: what was agreed, or a function that finds it for a request target (None: 404).
    `expects`: whether an operation is yours; anybody may name your URL when registering.
    `on_event`: given each new event once; when it raises, the sender gets 500 and sends the event again."""

    def __init__(
        self,
        public_url: str | Sequence[str],
        registration: Signed | Hmac | Bearer | Callable[[str], Signed | Hmac | Bearer | None],
        rules: Rules,
        inbox: Inbox,
        on_event: Callable[[Webhook], Any],
        expects: Callable[[str | None, Event], bool] = lambda _operation_id, _event: True,
        wait: float = 10,
    ) -> None:
        self._origins = [target_uri(url) for url in ([public_url] if isinstance(public_url, str) else public_url)]
        if not self._origins or any(one is None or one.uri != f'{one.scheme}://{one.authority}/' for one in self._origins):
            raise ValueError('public_url is an origin such as https://buyer.example, without a path; or a list of them')
        if not isinstance(registration, (Signed, Hmac, Bearer)) and not callable(registration):
            raise ValueError('registration is Signed, Hmac or Bearer, or a function that gives one of them')
        self._agreed = registration if callable(registration) else lambda _target: registration
        self._rules, self._inbox, self._wait, self._on_event, self._expects = rules, inbox, wait, on_event, expects

    def handle(
        self, method: str, target: str, headers: Iterable[tuple[str, str]], read: Callable[[int], bytes]
    ) -> Answer:
        """`target`: path and query as they came; `read`: gives at most so many bytes of the body. Never raises."""
        try:
            return self._receive(method, target, list(headers), read)
        except Exception as error:
            return _answer('failed', reason=f'{type(error).__name__}: {error}')

    def _receive(self, method: str, target: str, headers: list[tuple[str, str]], read: Callable[[int], bytes]) -> Answer:
        if method != 'POST':
            return _answer('not_a_post')
        if (agreed := self._agreed(target)) is None:
            return _answer('unknown_endpoint')
        try:
            sent = self._request(target, headers, read)
            sender = verify_webhook(sent, agreed, self._rules)
            event, value = read_event(sent.body)
        except Refused as refused:
            return _answer('refused', refused.status, refused.code, refused.reason)
        except Unreadable as error:
            return _answer('unreadable', reason=str(error))
        if not self._expects(event.get('operation_id'), event):
            return _answer('unexpected')
        known, webhook = InboxEvent(sender, event['idempotency_key'], order_of(event)), Webhook(event, sender, value)
        return _answer(handle_once(self._inbox, known, lambda: self._on_event(webhook), self._wait, self._rules.now))

    def _request(self, target: str, headers: list[tuple[str, str]], read: Callable[[int], bytes]) -> Request:
        header, is_alone = headers_of(headers), len(self._origins) == 1
        named = header.get('host', '')
        origins = [one for one in self._origins if is_alone or authority(named, one.scheme) == one.authority]
        # Anything but a path would go on naming the host: `@elsewhere.example/` behind an origin leads to another.
        if not origins or not target.startswith('/'):
            raise Refused('target_uri_malformed', 'the request names no path, or Host none of public_url')
        if not is_json(header):
            raise Refused('content_type_unsupported')
        # What the sender called is known now, whatever a proxy has made of it. Of a body too large, verifying says so.
        kept = [(name, value) for name, value in headers if name.lower() != 'host']
        return Request('POST', f'{origins[0].scheme}://{origins[0].authority}{target}', kept, read(MAX_BODY_BYTES + 1))


def _answer(outcome: str, status: int = 0, code: str | None = None, reason: str = '') -> Answer:
    """What the sender is told: the outcome's name or the refusal's code, and nothing more."""
    status = status or _STATUS[outcome]
    more = {
        **{401: ('WWW-Authenticate', f'Signature error="{code}"'), 405: ('Allow', 'POST')},
        **dict.fromkeys((429, 503), ('Retry-After', '5')),
    }
    headers = [('Content-Type', 'application/json'), *([more[status]] if status in more else [])]
    told = {'received': True, 'outcome': outcome} if status == 200 else {'error': code or outcome}
    return Answer(status, headers, json.dumps(told).encode(), outcome, code, reason)
