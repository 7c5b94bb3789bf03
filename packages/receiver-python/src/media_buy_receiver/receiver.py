"""A webhook receiver: verified, expected, each event once, and the answer that the sender is to
get."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, NamedTuple, Sequence

from ._wire import STATUS, Refused, authority, require, target_uri
from .events import Event, order_of, read_event
from .stores import Inbox, InboxEvent, handle_once
from .verify import MAX_BODY_BYTES, Headers, Registration, Request, Rules
from .verify import headers_of, is_json, listed, verify_webhook

Read = Callable[[int], bytes]


class Webhook(NamedTuple):
    """For the handler: `json` is the whole body as it was read."""

    event: Event
    sender: str
    json: Any


class Answer(NamedTuple):
    """What the sender gets, and for your own people what became of it: `outcome`, and in `reason`
    what was found."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    outcome: str
    code: str | None
    reason: str


@dataclass(eq=False, repr=False)
class Receiver:
    """`public_url`: the origin that senders call, or several of which `Host` names one; never the
    word of a request alone. `registration`: what was agreed, or a function that finds it for a
    request target (None: 404). `expects`: whether an operation is yours; anybody may name your URL
    when registering. `on_event`: given each new event once; when it raises, the sender gets 500 and
    sends the event again. `wait`: for another copy's handler, in seconds."""

    public_url: str | Sequence[str]
    registration: Registration | Callable[[str], Registration | None]
    rules: Rules
    inbox: Inbox
    on_event: Callable[[Webhook], Any]
    expects: Callable[[str | None, Event], bool] = lambda _operation_id, _event: True
    wait: float = 10

    def __post_init__(self) -> None:
        self._origins = [target_uri(url) for url in listed(self.public_url)]
        if any(path != '/' for _, _, path in self._origins):
            raise ValueError('public_url is an origin such as https://buyer.example, or several')
        if not isinstance(self.registration, Registration) and not callable(self.registration):
            raise ValueError('registration is Signed, Hmac, Bearer, or a function that gives one')

    def handle(self, method: str, target: str, headers: Headers, read: Read) -> Answer:
        """`target`: path and query as they came; `read`: gives at most so many bytes of the body.
        Never raises."""
        try:
            return self._receive(method, target, headers_of(headers), read)
        except Exception as error:
            return _answer('failed', f'{type(error).__name__}: {error}')

    def _receive(self, method: str, target: str, header: dict[str, str], read: Read) -> Answer:
        if method != 'POST':
            return _answer('not_a_post')
        agreed = self.registration(target) if callable(self.registration) else self.registration
        if agreed is None:
            return _answer('unknown_endpoint')
        try:
            # What the sender called is known here, whatever a proxy has made of `Host`.
            known, named = self._origins, header.pop('host', '')
            found = [one for one in known if authority(named, one[0]) == one[1] or not known[1:]]
            # Anything but a path would go on naming the host: `@elsewhere.example/` behind it.
            is_named = found and target.startswith('/')
            require(is_named, 'target_uri_malformed', 'no path, or Host names none of public_url')
            require(is_json(header), 'content_type_unsupported')
            url, body = '://'.join(found[0][:2]) + target, read(MAX_BODY_BYTES + 1)
            sender = verify_webhook(Request('POST', url, header.items(), body), agreed, self.rules)
            event, value = read_event(body)
        except Refused as refused:
            outcome = 'unreadable' if refused.status == 400 else 'refused'
            return _answer(outcome, refused.reason, refused.code, refused.status)
        if not self.expects(event.get('operation_id'), event):
            return _answer('unexpected')
        known_as = InboxEvent(sender, event['idempotency_key'], order_of(event))
        handle = partial(self.on_event, Webhook(event, sender, value))
        return _answer(handle_once(self.inbox, known_as, handle, self.wait, self.rules.now))


def _answer(outcome: str, reason: str = '', code: str | None = None, status: int = 0) -> Answer:
    """What the sender is told: the outcome's name or the refusal's code, and nothing more."""
    status = status or STATUS.get(outcome, 200)
    more = {401: ('WWW-Authenticate', f'Signature error="{code}"'), 405: ('Allow', 'POST')}
    more |= dict.fromkeys((429, 503), ('Retry-After', '5'))
    headers = [('Content-Type', 'application/json'), *([more[status]] if status in more else [])]
    told = {'received': True, 'outcome': outcome} if status == 200 else {'error': code or outcome}
    return Answer(status, headers, json.dumps(told).encode(), outcome, code, reason)
