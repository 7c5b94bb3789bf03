"""Flask: `flask --app flask_app run`. Nothing may read the request's body before."""

from flask import Flask, request

from wsgi_app import application

app = Flask(__name__)


@app.post('/webhooks')
def webhooks():
    return app.response_class.from_app(application, request.environ, buffered=True)
