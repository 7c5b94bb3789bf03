"""Flask: `flask --app flask_app run`. Nothing may read the request's body before."""

from flask import Flask, request

from media_buy_receiver import to_wsgi
from receiver import receiver

app = Flask(__name__)
webhooks_app = to_wsgi(receiver)


@app.post('/webhooks')
def webhooks():
    return app.response_class.from_app(webhooks_app, request.environ, buffered=True)
