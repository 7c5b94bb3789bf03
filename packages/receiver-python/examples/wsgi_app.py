"""Any WSGI server: `gunicorn wsgi_app:application`, or `python wsgi_app.py` to try it."""

from wsgiref.simple_server import make_server

from media_buy_receiver import to_wsgi
from receiver import receiver

application = to_wsgi(receiver)

if __name__ == '__main__':
    make_server('127.0.0.1', 8090, application).serve_forever()
