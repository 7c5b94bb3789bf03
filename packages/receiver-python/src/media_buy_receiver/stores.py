"""What a receiver remembers, in one process. Any store with the same methods will do: share it
among all processes. Times in seconds."""

from collections import OrderedDict, defaultdict
from threading import Lock
from time import monotonic, sleep, time
from typing import Any, Callable, NamedTuple, Protocol
from uuid import uuid4

Clock = Callable[[], float]


class ReplayStore(Protocol):
    """Remembers which nonces of which key have been used."""

    def is_full(self, keyid: str, now: float) -> bool:
        """Whether a key has used up its share of nonces. Records nothing."""

    def record(self, keyid: str, nonce: str, until: float, now: float) -> str:
        """In one atomic step: `recorded` up to and including `until`, or `seen`, or `full`."""


class InboxEvent(NamedTuple):
    """`order`: what it tells the state of, and of which instant (ms); None for an event that
    stands alone."""

    sender: str
    key: str
    order: tuple[str, float] | None = None


class Inbox(Protocol):
    """Remembers which events have been handled, and how far each subject has come, for 24 hours or
    more."""

    def claim(self, event: InboxEvent, owner: str, now: float) -> str:
        """In one atomic step: `claimed` (until the lease ends), or why not: `duplicate`, `stale`,
        `busy` or `full`."""

    def finish(self, event: InboxEvent, owner: str, now: float) -> None:
        """Handled: copies are duplicates now."""

    def release(self, event: InboxEvent, owner: str) -> None:
        """Not handled: the next copy may be claimed. Only the owner's own claim is given up."""


# Until when, and what; those that are forgotten first in front.
_Rows = OrderedDict[str, tuple[float, Any]]


def _live(rows: _Rows, now: float) -> _Rows:
    while rows and next(iter(rows.values()))[0] < now:
        rows.popitem(last=False)
    return rows


class MemoryReplayStore:
    """For one process that receives everything: so many nonces of each key at a time."""

    def __init__(self, nonces_per_key: int = 100_000) -> None:
        self._limit, self._lock, self._keys = nonces_per_key, Lock(), defaultdict[str, _Rows](_Rows)

    def is_full(self, keyid: str, now: float) -> bool:
        with self._lock:
            return len(_live(self._keys[keyid], now)) >= self._limit

    def record(self, keyid: str, nonce: str, until: float, now: float) -> str:
        with self._lock:
            nonces = _live(self._keys[keyid], now)
            if nonces.get(nonce, (now - 1, None))[0] >= now:
                return 'seen'
            if len(nonces) >= self._limit:
                return 'full'
            nonces[nonce] = (until, None)
            return 'recorded'


# Of each sender: what is handled, the newest instant of each subject, and who has claimed what.
_OF = ('handled', 'newest', 'claims')


# Seconds that a sender's clock may differ by, and that a copy may be on its way.
_SKEW = 300


class MemoryInbox:
    """For one process that receives everything. Handled events are remembered for `retention`
    seconds, and five minutes besides: a sender reckons by its own clock; a claim ends by itself
    after `lease`, so that a handler that died loses no event."""

    def __init__(
        self, retention: float = 86_400, lease: float = 60, events_per_sender: int = 1_000_000
    ) -> None:
        if retention < 86_400:
            raise ValueError('events are remembered for at least 24 hours')
        self._retention, self._lease, self._limit = retention + _SKEW, lease, events_per_sender
        self._lock, self._rows = Lock(), defaultdict[tuple[str, str], _Rows](_Rows)

    def claim(self, event: InboxEvent, owner: str, now: float) -> str:
        name, subject, at = _names(event)
        with self._lock:
            handled, newest, claims = (_live(self._rows[event.sender, of], now) for of in _OF)
            if name in handled:
                return 'duplicate'
            if name in claims or subject in claims:
                return 'busy'
            if at < newest.get(subject, (0, at))[1]:
                return 'stale'
            if len(handled) + len(claims) >= self._limit:
                return 'full'
            for each in (name, subject):
                claims[each] = (now + self._lease, owner)
            return 'claimed'

    def finish(self, event: InboxEvent, owner: str, now: float) -> None:
        name, subject, at = _names(event)
        with self._lock:
            newest = self._rows[event.sender, 'newest']
            self._rows[event.sender, 'handled'][name] = (now + self._retention, None)
            newest[subject] = (now + self._retention, max(at, newest.pop(subject, (0, at))[1]))
        self.release(event, owner)

    def release(self, event: InboxEvent, owner: str) -> None:
        with self._lock:
            claims = self._rows[event.sender, 'claims']
            for each in _names(event)[:2]:
                if claims.get(each, (0, None))[1] == owner:
                    del claims[each]


def _names(event: InboxEvent) -> tuple[str, str, float]:
    """Its name, its subject and its instant. One that stands alone is its own subject."""
    return f'event {event.key}', *(event.order or (f'event {event.key}', 0.0))


def handle_once(
    inbox: Inbox, event: InboxEvent, handle: Callable[[], Any], wait: float = 10, now: Clock = time
) -> str:
    """`handled`, or why not: `duplicate`, `stale`, `busy`, `full`. A copy of an event that is being
    handled waits and learns its fate. What `handle` raises is raised, and the claim given up."""
    owner, until = str(uuid4()), monotonic() + wait
    while (claim := inbox.claim(event, owner, now())) == 'busy' and monotonic() < until:
        sleep(0.05)
    if claim != 'claimed':
        return claim
    try:
        handle()
    except BaseException:
        inbox.release(event, owner)
        raise
    inbox.finish(event, owner, now())
    return 'handled'
