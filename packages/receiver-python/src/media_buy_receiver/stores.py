"""What a receiver remembers, in one process. Any store with the same methods will do: share it among all processes."""

from __future__ import annotations

import math
import threading
import time
import uuid
from collections import OrderedDict
from typing import Any, Callable, Iterator, NamedTuple, Protocol


class ReplayStore(Protocol):
    """Remembers which nonces of which key have been used. Times in seconds."""

    def is_full(self, keyid: str, now: float) -> bool:
        """Whether a key has used up its share of nonces. Records nothing."""

    def record(self, keyid: str, nonce: str, until: float, now: float) -> str:
        """In one atomic step: `recorded` up to and including `until`, or `seen`, or `full`."""


class InboxEvent(NamedTuple):
    """`order`: what it tells the state of, and of which instant (ms); None for an event that stands alone."""

    sender: str
    key: str
    order: tuple[str, float] | None = None


class Inbox(Protocol):
    """Remembers which events have been handled, and how far each subject has come, for 24 hours or more."""

    def claim(self, event: InboxEvent, owner: str, now: float) -> str:
        """In one atomic step: `claimed` (until the lease ends), `duplicate`, `stale`, `busy` or `full`."""

    def finish(self, event: InboxEvent, owner: str, now: float) -> None:
        """Handled: copies are duplicates now."""

    def release(self, event: InboxEvent, owner: str) -> None:
        """Not handled: the next copy may be claimed. Only the owner's own claim is given up."""


class MemoryReplayStore:
    def __init__(self, nonces_per_key: int = 100_000) -> None:
        self._limit, self._lock = nonces_per_key, threading.Lock()
        self._keys: dict[str, OrderedDict[str, float]] = {}

    def is_full(self, keyid: str, now: float) -> bool:
        with self._lock:
            return len(self._living(keyid, now)) >= self._limit

    def record(self, keyid: str, nonce: str, until: float, now: float) -> str:
        with self._lock:
            nonces = self._living(keyid, now)
            if nonces.get(nonce, now - 1) >= now:
                return 'seen'
            if len(nonces) >= self._limit:
                return 'full'
            _put(nonces, nonce, until)
            self._keys[keyid] = nonces
            return 'recorded'

    def _living(self, keyid: str, now: float) -> OrderedDict[str, float]:
        nonces = self._keys.get(keyid, OrderedDict())
        _forget(nonces, lambda until: until < now)
        if not nonces:
            self._keys.pop(keyid, None)
        return nonces


class MemoryInbox:
    def __init__(self, retention: float = 86_400, lease: float = 60, events_per_sender: int = 1_000_000) -> None:
        if retention < 86_400:
            raise ValueError('events are remembered for at least 24 hours')
        self._retention, self._lease, self._limit, self._lock = retention, lease, events_per_sender, threading.Lock()
        self._senders: dict[str, _Sender] = {}

    def claim(self, event: InboxEvent, owner: str, now: float) -> str:
        with self._lock:
            handled, newest, claims = known = self._senders.setdefault(event.sender, _Sender())
            for entries in known:
                _forget(entries, lambda entry: entry[0] <= now)
            names = _names(event)
            if event.key in handled:
                return 'duplicate'
            if any(name in claims for name in names):
                return 'busy'
            if event.order and event.order[1] < newest.get(event.order[0], (0, -math.inf))[1]:
                return 'stale'
            if len(handled) + len(claims) >= self._limit:
                return 'full'
            for name in names:
                _put(claims, name, (now + self._lease, owner))
            return 'claimed'

    def finish(self, event: InboxEvent, owner: str, now: float) -> None:
        with self._lock:
            handled, newest, claims = self._senders.setdefault(event.sender, _Sender())
            _put(handled, event.key, (now + self._retention,))
            if event.order:
                subject, at = event.order
                _put(newest, subject, (now + self._retention, max(at, newest.get(subject, (0, at))[1])))
            _drop(claims, event, owner)

    def release(self, event: InboxEvent, owner: str) -> None:
        with self._lock:
            _drop(self._senders.setdefault(event.sender, _Sender()).claims, event, owner)


class _Sender:
    """Handled events, the newest instant of each subject, what is being handled: each with when to forget it, oldest first."""

    def __init__(self) -> None:
        self.handled, self.newest, self.claims = OrderedDict(), OrderedDict(), OrderedDict()

    def __iter__(self) -> Iterator[OrderedDict[Any, Any]]:
        return iter((self.handled, self.newest, self.claims))


def _names(event: InboxEvent) -> list[tuple[str, str]]:
    """By what it is claimed: itself, and its subject."""
    return [('event', event.key), *([('subject', event.order[0])] if event.order else [])]


def _drop(claims: OrderedDict[Any, Any], event: InboxEvent, owner: str) -> None:
    for name in _names(event):
        if claims.get(name, (0, None))[1] == owner:
            del claims[name]


def _put(entries: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    entries[key] = value
    entries.move_to_end(key)


def _forget(entries: OrderedDict[Any, Any], is_over: Callable[[Any], bool]) -> None:
    """Removes what has expired from the front, where the oldest entries are."""
    while entries and is_over(next(iter(entries.values()))):
        entries.popitem(last=False)


def handle_once(inbox: Inbox, event: InboxEvent, handle: Callable[[], Any], wait: float = 10, now=time.time) -> str:
    """`handled`, or why not: `duplicate`, `stale`, `busy`, `full`. A copy of an event that is being handled waits and
    learns its fate. What `handle` raises is raised, and the claim given up."""
    owner, waited, pause = str(uuid.uuid4()), 0.0, 0.01
    claim = inbox.claim(event, owner, now())
    while claim == 'busy' and waited < wait:
        time.sleep(pause)
        waited, pause = waited + pause, min(pause * 2, 0.25)
        claim = inbox.claim(event, owner, now())
    if claim != 'claimed':
        return claim
    try:
        handle()
    except BaseException:
        inbox.release(event, owner)
        raise
    inbox.finish(event, owner, now())
    return 'handled'
