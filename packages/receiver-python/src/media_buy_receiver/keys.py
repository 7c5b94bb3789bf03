"""Where the keys of a sender come from."""

from __future__ import annotations

import re
import threading
import time
from typing import Any, Callable, Mapping
from urllib.parse import urljoin

from ._wire import target_uri
from .fetch import Fetched, NotFetched, fetch_json
from .verify import KeyNotFound, ResolvedKey

FetchJson = Callable[[str], Fetched]
_REFETCH_COOL_DOWN, _RETRY = 30, 5


def keys_of(jwks: Mapping[str, Any], sender: str | None = None) -> Callable[[str], ResolvedKey]:
    """Finds keys in one fixed set. A key id that stands there twice is ambiguous, and none."""

    def resolve(keyid: str) -> ResolvedKey:
        found = [jwk for jwk in _objects(jwks.get('keys')) if jwk.get('kid') == keyid]
        if len(found) != 1:
            raise KeyNotFound(f'the key set has {len(found)} keys {keyid!r}')
        return ResolvedKey(found[0], sender)

    return resolve


class agent_keys:
    """Finds a seller's keys by its agent's URL: brand.json at its origin, there the `agents[]` entry with that URL, in any
    spelling, there `jwks_uri`. Fetched once for all callers and kept for `cache` seconds, and for `stale` seconds
    more while fetching fails; an unknown key id has them fetched again, but not within 30 s of the last such time.
    Raises KeyNotFound with the reason, and what `fetch` raises (NotFetched) while a document cannot be had."""

    def __init__(
        self,
        agent_url: str,
        brand_json_url: str | None = None,
        fetch: FetchJson = fetch_json,
        cache: float = 300,
        stale: float = 3600,
        now: Callable[[], float] = time.time,
    ) -> None:
        target = target_uri(agent_url)
        if target is None:
            raise ValueError('agent_url is an absolute http(s) URL')
        self._agent_url, self._fetch, self._now = agent_url, fetch, now
        self._brand_json_url = brand_json_url or urljoin(target.uri, '/.well-known/brand.json')
        self._cache, self._stale = min(max(cache, 60), 900), stale
        self._lock = threading.Lock()
        self._failure: Exception | None = None
        self._keys: Callable[[str], ResolvedKey] | None = None
        self._fetched_at = self._tried_at = self._refetched_at = float('-inf')

    def __call__(self, keyid: str) -> ResolvedKey:
        with self._lock:
            is_due = self._now() > self._fetched_at + self._cache and self._now() >= self._tried_at + _RETRY
            if is_due:
                self._refresh()
            try:
                return self._known(keyid)
            except Exception:
                if is_due or self._now() < self._refetched_at + _REFETCH_COOL_DOWN:
                    raise
            self._refetched_at = self._now()
            self._refresh()
            return self._known(keyid)

    def _known(self, keyid: str) -> ResolvedKey:
        try:
            if self._keys is not None:
                return self._keys(keyid)
        except KeyNotFound:
            if self._failure is None:
                raise
        raise self._failure or NotFetched('no key has been fetched yet')

    def _refresh(self) -> None:
        self._tried_at = self._now()
        try:
            self._keys = self._published()
            self._failure, self._fetched_at = None, self._now()
        except Exception as failure:
            self._failure = failure
            if self._now() > self._fetched_at + self._cache + self._stale:
                self._keys = None
        finally:
            # From its end on: whoever waited for a fetch that hung goes on with the keys there are.
            self._tried_at = self._now()

    def _published(self) -> Callable[[str], ResolvedKey]:
        place, brand = self._brand_json_url, self._read(self._brand_json_url)
        if isinstance(brand.get('authoritative_location'), str):
            place = brand['authoritative_location']
            brand = self._read(place)
        listed = [entry for entry in _objects(brand.get('agents')) if isinstance(entry.get('url'), str)]
        wanted = _canonical(self._agent_url)
        entries = [entry for entry in listed if _canonical(entry['url']) == wanted] or self._named_by_card(listed, wanted)
        if len(entries) != 1:
            urls = ', '.join(entry['url'] for entry in listed[:5]) or 'no agent'
            raise KeyNotFound(f'{place} lists {self._agent_url} {len(entries)} times; it lists {urls}')
        url, jwks_uri = entries[0]['url'], entries[0].get('jwks_uri')
        place = jwks_uri if isinstance(jwks_uri, str) else urljoin(url, '/.well-known/jwks.json')
        return keys_of(self._read(place), url)

    def _named_by_card(self, listed: list[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
        """The nearest listed agent above this URL, when its card says that this is where it is called."""
        above = sorted((entry for entry in listed if wanted.startswith(_canonical(entry['url']) + '/')), key=_length)
        if not above:
            return []
        card_url = above[-1]['url'].rstrip('/') + '/.well-known/agent-card.json'
        card = {} if _canonical(card_url) == wanted else self._read(card_url)
        named = [card, *_objects(card.get('supportedInterfaces')), *_objects(card.get('additionalInterfaces'))]
        urls = [card_url if not card else '', *(str(each.get('url', '')) for each in named)]
        return above[-1:] if wanted in map(_canonical, urls) else []

    def _read(self, url: str) -> dict[str, Any]:
        """A status that says "not here" is the sender's word; any other but 200 may pass."""
        answer = self._fetch(url)
        if answer.status in (404, 410):
            raise KeyNotFound(f'{url} is not there: it answers {answer.status}')
        if answer.status != 200:
            raise NotFetched(f'{url} cannot be read: it answers {answer.status}')
        if not isinstance(answer.json, dict):
            raise KeyNotFound(f'{url} is no JSON object')
        return answer.json


def _canonical(url: str) -> str:
    target = target_uri(url)
    return re.sub('/$', '', target.uri) if target else ''


def _length(entry: dict[str, Any]) -> int:
    return len(_canonical(entry['url']))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
