"""What a receiver remembers, in one process. Any store with the same methods will do: share it among all processes."""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict, defaultdict
from typing import Any, Callable, NamedTuple, Protocol


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


class _Entries(OrderedDict[Any, Any]):
    """Values with when to forget them, those that are forgotten first in front."""

    def put(self, key: Any, until: float, value: Any = None) -> None:
        self[key] = (until, value)
        self.move_to_end(key)

    def forget(self, now: float) -> _Entries:
        while self and next(iter(self.values()))[0] < now:
            self.popitem(last=False)
        return self

    def value(self, key: Any, default: Any = None) -> Any:
        return self.get(key, (0, default))[1]


class MemoryReplayStore:
    def __init__(self, nonces_per_key: int = 100_000) -> None:
        self._limit, self._lock, self._keys = nonces_per_key, threading.Lock(), defaultdict(_Entries)

    def is_full(self, keyid: str, now: float) -> bool:
        with self._lock:
            return len(self._keys[keyid].forget(now)) >= self._limit

    def record(self, keyid: str, nonce: str, until: float, now: float) -> str:
        with self._lock:
            nonces = self._keys[keyid].forget(now)
            if nonces.get(nonce, (now - 1,))[0] >= now:
                return 'seen'
            if len(nonces) >= self._limit:
                return 'full'
            nonces.put(nonce, until)
            return 'recorded'


class MemoryInbox:
    def __init__(self, retention: float = 86_400, lease: float = 60, events_per_sender: int = 1_000_000) -> None:
        if retention < 86_400:
            raise ValueError('events are remembered for at least 24 hours')
        self._retention, self._lease, self._limit, self._lock = retention, lease, events_per_sender, threading.Lock()
        # By sender: what has been handled, the newest instant of each subject, what is being handled and by whom.
        self._senders = defaultdict(lambda: (_Entries(), _Entries(), _Entries()))

    def claim(self, event: InboxEvent, owner: str, now: float) -> str:
        with self._lock:
            handled, newest, claims = (entries.forget(now) for entries in self._senders[event.sender])
            if event.key in handled:
                return 'duplicate'
            if any(name in claims for name in _names(event)):
                return 'busy'
            if event.order and event.order[1] < newest.value(event.order[0], event.order[1]):
                return 'stale'
            if len(handled) + len(claims) >= self._limit:
                return 'full'
            for name in _names(event):
                claims.put(name, now + self._lease, owner)
            return 'claimed'

    def finish(self, event: InboxEvent, owner: str, now: float) -> None:
        with self._lock:
            handled, newest, _ = self._senders[event.sender]
            handled.put(event.key, now + self._retention)
            if event.order:
                subject, at = event.order
                newest.put(subject, now + self._retention, max(at, newest.value(subject, at)))
        self.release(event, owner)

    def release(self, event: InboxEvent, owner: str) -> None:
        with self._lock:
            claims = self._senders[event.sender][2]
            for name in _names(event):
                if claims.value(name) == owner:
                    del claims[name]


def _names(event: InboxEvent) -> list[tuple[str, str]]:
    """By what it is claimed: itself, and its subject."""
    return [('event', event.key), *([('subject', event.order[0])] if event.order else [])]


def handle_once(
    inbox: Inbox, event: InboxEvent, handle: Callable[[], Any], wait: float = 10, now: Callable[[], float] = time.time
) -> str:
    """`handled`, or why not: `duplicate`, `stale`, `busy`, `full`. A copy of an event that is being handled waits and
    learns its fate. What `handle` raises is raised, and the claim given up."""
    owner, until = str(uuid.uuid4()), time.monotonic() + wait
    while (claim := inbox.claim(event, owner, now())) == 'busy' and time.monotonic() < until:
        time.sleep(0.05)
    if claim != 'claimed':
        return claim
    try:
        handle()
    except BaseException:
        inbox.release(event, owner)
        raise
    inbox.finish(event, owner, now())
    return 'handled'
