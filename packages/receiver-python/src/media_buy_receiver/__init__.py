"""Receives the webhooks of a media-buy agent: verified by RFC 9421 or the legacy modes, each event
handled once."""

from ._wire import Refused as Refused
from .events import Event as Event, order_of as order_of, read_event as read_event
from .keys import PublishedKeys as PublishedKeys, fetch_json as fetch_json
from .receiver import Answer as Answer, Receiver as Receiver, Webhook as Webhook
from .stores import Inbox as Inbox, InboxEvent as InboxEvent, MemoryInbox as MemoryInbox
from .stores import MemoryReplayStore as MemoryReplayStore, ReplayStore as ReplayStore
from .stores import handle_once as handle_once
from .verify import Bearer as Bearer, Hmac as Hmac, KeyNotFound as KeyNotFound
from .verify import Request as Request, Rules as Rules, Signed as Signed
from .verify import verify_webhook as verify_webhook
