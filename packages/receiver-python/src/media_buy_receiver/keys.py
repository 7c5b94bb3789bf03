"""Where the keys of a sender come from: one key set, at a URL that you write down yourself."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Callable, Mapping
from urllib.request import HTTPErrorProcessor, build_opener

from .stores import Clock
from .verify import KeyNotFound

MAX_DOCUMENT_BYTES, TIMEOUT_SECONDS = 65_536, 5.0
CACHE, STALE, RETRY, COOL_DOWN = 300, 3600, 5, 30
_URL = r'https://[^/@\s]+/|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?/'


def fetch_json(url: str) -> Any:
    """A document of 64 KiB at most, without redirects and within 5 s. Raises KeyNotFound where
    there is none, ValueError for what is no JSON, and OSError for whatever else goes wrong."""
    # A socket's own time-out begins anew with each byte.
    return ThreadPoolExecutor(1).submit(_fetched, url).result(TIMEOUT_SECONDS)


class _AsItIs(HTTPErrorProcessor):
    """Gives every answer back: none is an error of its own, and no redirect is followed."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


def _fetched(url: str) -> Any:
    with build_opener(_AsItIs).open(url, timeout=TIMEOUT_SECONDS) as answer:
        body = answer.read(MAX_DOCUMENT_BYTES + 1)
    if answer.status in (404, 410):
        raise KeyNotFound(f'{url} is not there: it answers {answer.status}')
    if answer.status != 200 or len(body) > MAX_DOCUMENT_BYTES:
        raise OSError(f'{url} answers {answer.status}, or with more than 64 KiB')
    return json.loads(body)


class PublishedKeys:
    """Finds keys by id in the set at a URL: the `jwks_uri` that the seller's brand.json names, by
    https, or http for an agent on your own machine. Kept for 5 minutes, and for an hour more while
    fetching fails; an unknown key id has it fetched again, but not within 30 s of the last such
    time. Raises KeyNotFound with the reason, and what `fetch` raises while there is no set to be
    had. Keys that you hold yourself: `PublishedKeys(url, fetch=lambda _url: jwks)`."""

    def __init__(
        self, url: str, fetch: Callable[[str], Any] = fetch_json, now: Clock = time.time
    ) -> None:
        if not re.match(_URL, url):
            raise ValueError('the URL of a key set is https:// with a host and a path')
        self._url, self._fetch, self._now, self._lock = url, fetch, now, Lock()
        self._keys: dict[str, Mapping[str, Any]] = {}
        self._failure: Exception | None = None
        self._fetched_at = self._tried_at = self._missed_at = float('-inf')

    def __call__(self, keyid: str) -> Mapping[str, Any]:
        with self._lock:
            now = self._now()
            is_due = now > self._fetched_at + CACHE and now >= self._tried_at + RETRY
            if not is_due and keyid not in self._keys and now >= self._missed_at + COOL_DOWN:
                is_due, self._missed_at = True, now
            if is_due:
                try:
                    found = self._fetch(self._url)['keys']
                    # A key id that stands there twice is ambiguous, and none.
                    kids = [jwk['kid'] for jwk in found if isinstance(jwk.get('kid'), str)]
                    alone = [jwk for jwk in found if kids.count(jwk.get('kid')) == 1]
                    self._keys = {jwk['kid']: jwk for jwk in alone}
                    self._failure, self._fetched_at = None, self._now()
                except Exception as failure:
                    self._failure = failure
                    if self._now() > self._fetched_at + CACHE + STALE:
                        self._keys = {}
                # From its end on: who waited for a fetch that hung goes on with the keys there are.
                self._tried_at = self._now()
            if keyid not in self._keys:
                raise self._failure or KeyNotFound(f'{self._url} has no key {keyid!r}, or several')
            return self._keys[keyid]
