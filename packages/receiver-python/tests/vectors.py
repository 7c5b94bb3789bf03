"""The vectors of packages/receiver, which every receiver must agree with."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / 'receiver' / 'vectors'


def read(name):
    return json.loads((FOLDER / f'{name}.json').read_text('utf-8'))
