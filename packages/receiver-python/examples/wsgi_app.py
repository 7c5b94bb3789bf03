"""Any WSGI server: `gunicorn wsgi_app:application`, or `python wsgi_app.py` to try it."""

from http import HTTPStatus
from urllib.parse import quote, urlsplit
from wsgiref.simple_server import make_server

from receiver import receiver


def application(environ, start_response):
    answer = receiver.handle(environ['REQUEST_METHOD'], target_of(environ), headers_of(environ), reader_of(environ))
    print(answer.status, answer.outcome, answer.code or '', answer.reason, flush=True)
    start_response(f'{answer.status} {HTTPStatus(answer.status).phrase}', answer.headers)
    return [answer.body]


def target_of(environ):
    """Path and query as they came, where the server tells them; else escaped again, which is the same for any URL that
    escapes no more than it must."""
    raw = environ.get('REQUEST_URI') or environ.get('RAW_URI')
    if raw:
        parts = urlsplit(raw) if not raw.startswith('/') else None
        return raw if parts is None else (parts.path or '/') + (f'?{parts.query}' if parts.query else '')
    path = (environ.get('SCRIPT_NAME', '') + environ.get('PATH_INFO', '')).encode('latin-1')
    query = environ.get('QUERY_STRING', '')
    return quote(path, safe="/!$&'()*+,;=:@~") + (f'?{query}' if query else '')


def headers_of(environ):
    named = [(name[5:].replace('_', '-'), value) for name, value in environ.items() if name.startswith('HTTP_')]
    return [*named, ('Content-Type', environ.get('CONTENT_TYPE', ''))]


def reader_of(environ):
    """Reads no more than there is: some servers wait for ever at the end of what was sent."""

    def read(most):
        length = environ.get('CONTENT_LENGTH') or ('' if environ.get('wsgi.input_terminated') else '0')
        left, chunks = min(int(length), most) if length else most, []
        while left > 0 and (chunk := environ['wsgi.input'].read(left)):
            chunks.append(chunk)
            left -= len(chunk)
        if left > 0 and length:
            raise RuntimeError('the body was read before the webhook receiver could: have nothing parse it first')
        return b''.join(chunks)

    return read


if __name__ == '__main__':
    make_server('127.0.0.1', 8090, application).serve_forever()
