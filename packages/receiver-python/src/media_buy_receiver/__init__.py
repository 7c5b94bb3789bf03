"""Receives the webhooks of a media-buy agent: verified by RFC 9421 or the legacy modes, each event handled once."""

from .events import Event, Unreadable, order_of, read_event
from .fetch import Fetched, NotFetched, fetch_json
from .keys import agent_keys, keys_of
from .receiver import Answer, Receiver, Webhook
from .stores import Inbox, InboxEvent, MemoryInbox, MemoryReplayStore, ReplayStore, handle_once
from .verify import Bearer, Hmac, KeyNotFound, Refused, Request, ResolvedKey, Rules, Signed, Verified, verify_webhook
from .wsgi import to_wsgi

__all__ = [
    *('Answer', 'Bearer', 'Event', 'Fetched', 'Hmac', 'Inbox', 'InboxEvent', 'KeyNotFound', 'MemoryInbox'),
    *('MemoryReplayStore', 'NotFetched', 'Receiver', 'Refused', 'ReplayStore', 'Request', 'ResolvedKey', 'Rules'),
    *('Signed', 'Unreadable', 'Verified', 'Webhook', 'agent_keys', 'fetch_json', 'handle_once', 'keys_of', 'order_of'),
    *('read_event', 'to_wsgi', 'verify_webhook'),
]
