"""A receiver as a WSGI application: for any server, and for frameworks that mount one."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Callable, Iterable
from urllib.parse import quote, urlsplit

from .receiver import Receiver


BODY_ALREADY_READ = (
    'the body was read before the webhook receiver could, or the sender went away: have nothing parse it first, for the '
    'signature is over the bytes as they came'
)


def to_wsgi(receiver: Receiver) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        answer = receiver.handle(environ['REQUEST_METHOD'], target_of(environ), headers_of(environ), reader_of(environ))
        lines = [*answer.headers, ('Content-Length', str(len(answer.body)))]
        start_response(f'{answer.status} {HTTPStatus(answer.status).phrase}', lines)
        return [answer.body]

    return application


def target_of(environ: dict[str, Any]) -> str:
    """Path and query as they came, where the server tells them; else escaped again, which is the same for any URL that
    escapes no more than it must."""
    raw = environ.get('REQUEST_URI') or environ.get('RAW_URI')
    if raw:
        parts = urlsplit(raw) if not raw.startswith('/') else None
        return raw if parts is None else (parts.path or '/') + (f'?{parts.query}' if parts.query else '')
    path = (environ.get('SCRIPT_NAME', '') + environ.get('PATH_INFO', '')).encode('latin-1')
    query = environ.get('QUERY_STRING', '')
    return quote(path, safe="/!$&'()*+,;=:@~") + (f'?{query}' if query else '')


def headers_of(environ: dict[str, Any]) -> list[tuple[str, str]]:
    named = {'CONTENT_TYPE': 'content-type', 'CONTENT_LENGTH': 'content-length'}
    shown = {name: value for name, value in environ.items() if name in named or name.startswith('HTTP_')}
    return [(named.get(name, name[5:].replace('_', '-').lower()), value) for name, value in shown.items() if value]


def reader_of(environ: dict[str, Any]) -> Callable[[int], bytes]:
    """Reads no more than there is: some servers wait for ever at the end of what was sent."""

    def read(most: int) -> bytes:
        length = environ.get('CONTENT_LENGTH') or ('' if environ.get('wsgi.input_terminated') else '0')
        left = min(int(length), most) if length else most
        chunks = []
        while left > 0:
            chunk = environ['wsgi.input'].read(left)
            if not chunk and length:
                raise RuntimeError(BODY_ALREADY_READ)
            if not chunk:
                break
            chunks.append(chunk)
            left -= len(chunk)
        return b''.join(chunks)

    return read
