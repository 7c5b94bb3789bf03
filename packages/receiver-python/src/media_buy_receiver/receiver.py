"""A webhook receiver: verified, expected, each event once, and the answer that the sender is to get."""

from __future__ import annotations

import json
import logging
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from ._wire import authority, target_uri
from .events import Event, Unreadable, order_of, read_event
from .stores import Inbox, InboxEvent, handle_once
from .verify import MAX_BODY_BYTES, Bearer, Hmac, Refused, Request, Rules, Signed, headers_of, is_json, verify_webhook

Registration = (Signed, Hmac, Bearer)
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
    code: str | None = None
    reason: str = ''


class Receiver:
    """`public_url`: the origin that senders call, or several of which `Host` names one; never the word of a request alone.
    `registration`: what was agreed, or a function that finds it for a request target (None: 404).
    `expects`: whether an operation is yours; anybody may name your URL when registering.
    `on_event`: given each new event once; when it raises, the sender gets 500 and sends the event again."""

    def __init__(
        self,
        public_url: str | Sequence[str],
        registration: Any,
        rules: Rules,
        inbox: Inbox,
        on_event: Callable[[Webhook], Any],
        expects: Callable[[str | None, Event], bool] = lambda _operation_id, _event: True,
        on_outcome: Callable[[Answer], Any] = lambda _answer: None,
        wait: float = 10,
    ) -> None:
        urls = [public_url] if isinstance(public_url, str) else list(public_url)
        self._origins = [target_uri(url) for url in urls]
        if not urls or any(origin is None or origin.path != '/' for origin in self._origins):
            raise ValueError('public_url is an origin such as https://buyer.example, without a path; or a list of them')
        if not isinstance(registration, Registration) and not callable(registration):
            raise ValueError('registration is Signed, Hmac or Bearer, or a function that gives one of them')
        self._registration, self._rules, self._inbox, self._wait = registration, rules, inbox, wait
        self._on_event, self._expects, self._on_outcome = on_event, expects, on_outcome

    def handle(
        self, method: str, target: str, headers: Iterable[tuple[str, str]], read: Callable[[int], bytes]
    ) -> Answer:
        """`target`: path and query as they came; `read`: gives at most so many bytes of the body. Never raises."""
        try:
            answer = self._receive(method, target, list(headers), read)
        except Exception as error:
            answer = _answer('failed', reason=f'{type(error).__name__}: {error}')
        try:
            self._on_outcome(answer)
        except Exception:
            # A log that fails changes no answer: the sender is not to send again for it.
            logging.getLogger(__name__).exception('on_outcome of the webhook receiver raised')
        return answer

    def _receive(self, method: str, target: str, headers: list[tuple[str, str]], read: Callable[[int], bytes]) -> Answer:
        if method != 'POST':
            return _answer('not_a_post')
        agreed = self._registration if isinstance(self._registration, Registration) else self._registration(target)
        if agreed is None:
            return _answer('unknown_endpoint')
        try:
            sent = self._request(target, headers, read)
            sender = verify_webhook(sent, agreed, self._rules).sender
        except Refused as refused:
            return _answer('refused', refused.status, refused.code, refused.reason)
        try:
            event, value = read_event(sent.body)
        except Unreadable as error:
            return _answer('unreadable', reason=str(error))
        if not self._expects(event.get('operation_id'), event):
            return _answer('unexpected')
        known = InboxEvent(sender, event['idempotency_key'], order_of(event))
        webhook = Webhook(event, sender, value)
        return _answer(handle_once(self._inbox, known, lambda: self._on_event(webhook), self._wait, self._rules.now))

    def _request(self, target: str, headers: list[tuple[str, str]], read: Callable[[int], bytes]) -> Request:
        header = headers_of(headers)
        # Anything else would go on naming the host: `@elsewhere.example/` behind an origin leads to another.
        if not target.startswith('/'):
            raise Refused('target_uri_malformed', 'the request names no path')
        if not is_json(header):
            raise Refused('content_type_unsupported')
        body = read(MAX_BODY_BYTES + 1)
        if len(body) > MAX_BODY_BYTES:
            raise Refused('body_too_large')
        # What the sender called is known now, whatever a proxy has made of it.
        kept = [(name, value) for name, value in headers if name.lower() != 'host']
        return Request('POST', self._origin_of(header) + target, kept, body)

    def _origin_of(self, header: Mapping[str, str]) -> str:
        named = header.get('host', '')
        for origin in self._origins:
            if len(self._origins) == 1 or authority(named, origin.scheme) == origin.authority:
                return f'{origin.scheme}://{origin.authority}'
        raise Refused('target_uri_malformed', 'Host names none of public_url')


def _answer(outcome: str, status: int | None = None, code: str | None = None, reason: str = '') -> Answer:
    """What the sender is told: the outcome's name or the refusal's code, and nothing more."""
    status = status or _STATUS[outcome]
    headers = [('Content-Type', 'application/json')]
    if status == 401:
        headers.append(('WWW-Authenticate', f'Signature error="{code}"'))
    if status == 405:
        headers.append(('Allow', 'POST'))
    if status in (429, 503):
        headers.append(('Retry-After', '5'))
    told = {'received': True, 'outcome': outcome} if status == 200 else {'error': code or outcome}
    return Answer(status, headers, json.dumps(told).encode(), outcome, code, reason)
