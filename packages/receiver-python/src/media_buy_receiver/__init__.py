"""Receives the webhooks of a media-buy agent: verified by RFC 9421 or the legacy modes, each event handled once."""

from .events import Event, Unreadable, order_of, read_event
from .keys import PublishedKeys, fetch_json
from .receiver import Answer, Receiver, Webhook
from .stores import Inbox, InboxEvent, MemoryInbox, MemoryReplayStore, handle_once
from .verify import Bearer, Hmac, KeyNotFound, Refused, ReplayStore, Request, Rules, Signed, verify_webhook

__all__ = [
    *('Answer', 'Bearer', 'Event', 'Hmac', 'Inbox', 'InboxEvent', 'KeyNotFound', 'MemoryInbox', 'MemoryReplayStore'),
    *('PublishedKeys', 'Receiver', 'Refused', 'ReplayStore', 'Request', 'Rules', 'Signed', 'Unreadable', 'Webhook'),
    *('fetch_json', 'handle_once', 'order_of', 'read_event', 'verify_webhook'),
]
