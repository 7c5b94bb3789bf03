"""The vectors of packages/receiver, which every receiver must agree with."""

import json
from pathlib import Path

from media_buy_receiver import PublishedKeys

FOLDER = Path(__file__).resolve().parents[2] / 'receiver' / 'vectors'


def read(name):
    return json.loads((FOLDER / f'{name}.json').read_text('utf-8'))


def keys():
    """Finds the public keys of the vectors."""
    return PublishedKeys('https://seller.example/keys', fetch=lambda _url: read('keys')['jwks'])
