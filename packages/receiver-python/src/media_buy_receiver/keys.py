"""Where the keys of a sender come from: one key set, at a URL that you write down yourself."""

from __future__ import annotations

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Mapping
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .verify import KeyNotFound

MAX_DOCUMENT_BYTES, TIMEOUT_SECONDS = 65_536, 5.0
CACHE, STALE, RETRY, COOL_DOWN = 300, 3600, 5, 30


def fetch_json(url: str) -> Any:
    """A document of 64 KiB at most, without redirects and within 5 s. Raises KeyNotFound where there is none, and what
    `urllib` and `json` raise."""
    worker = ThreadPoolExecutor(1)
    try:
        # A socket's own time-out begins anew with each byte.
        return worker.submit(_fetched, url).result(TIMEOUT_SECONDS)
    finally:
        worker.shutdown(wait=False)


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _fetched(url: str) -> Any:
    try:
        with build_opener(_NoRedirects).open(Request(url), timeout=TIMEOUT_SECONDS) as answer:
            body = answer.read(MAX_DOCUMENT_BYTES + 1)
    except HTTPError as error:
        if error.code in (404, 410):
            raise KeyNotFound(f'{url} is not there: it answers {error.code}') from error
        raise
    if len(body) > MAX_DOCUMENT_BYTES:
        raise ValueError(f'{url} is over 64 KiB')
    return json.loads(body)


class PublishedKeys:
    """Finds keys by id in the set at a URL: the `jwks_uri` that the seller's brand.json names, by https, or http for an agent
    on your own machine. Kept for 5 minutes, and for an hour more while fetching fails; an unknown key id has it fetched again,
    but not within 30 s of the last such time. Raises KeyNotFound with the reason, and what `fetch` raises while there is no
    set to be had. Keys that you hold yourself: `PublishedKeys(url, fetch=lambda _url: jwks)`."""

    def __init__(
        self, url: str, fetch: Callable[[str], Any] = fetch_json, now: Callable[[], float] = time.time
    ) -> None:
        if not re.match(r'https://[^/@\s]+/|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?/', url):
            raise ValueError('the URL of a key set is https:// with a host and a path')
        self._url, self._fetch, self._now, self._lock = url, fetch, now, threading.Lock()
        self._keys: dict[str, Mapping[str, Any]] = {}
        self._failure: Exception | None = None
        self._fetched_at = self._tried_at = self._missed_at = float('-inf')

    def __call__(self, keyid: str) -> Mapping[str, Any]:
        with self._lock:
            now = self._now()
            if now > self._fetched_at + CACHE and now >= self._tried_at + RETRY:
                self._refresh()
            elif keyid not in self._keys and now >= self._missed_at + COOL_DOWN:
                self._missed_at = now
                self._refresh()
            if keyid in self._keys:
                return self._keys[keyid]
            raise self._failure or KeyNotFound(f'{self._url} has no key {keyid!r}, or several')

    def _refresh(self) -> None:
        try:
            self._keys, self._failure, self._fetched_at = _by_id(self._fetch(self._url)), None, self._now()
        except Exception as failure:
            self._failure = failure
            if self._now() > self._fetched_at + CACHE + STALE:
                self._keys = {}
        # From its end on: whoever waited for a fetch that hung goes on with the keys there are.
        self._tried_at = self._now()


def _by_id(jwks: Any) -> dict[str, Mapping[str, Any]]:
    """A key id that stands there twice is ambiguous, and none."""
    kids = [jwk['kid'] for jwk in jwks['keys'] if isinstance(jwk.get('kid'), str)]
    return {jwk['kid']: jwk for jwk in jwks['keys'] if kids.count(jwk.get('kid')) == 1}
