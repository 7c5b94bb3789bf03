"""What a client program of this folder is told, and how it says what became of each step: a line of JSON."""

import asyncio
import json
import os
import uuid

SETTINGS = json.loads(os.environ['STORY'])
BASE_URL = SETTINGS['base_url']
API_KEY = SETTINGS['api_key']
# Of the seller's, for what a person there decides.
OPERATOR_KEY = SETTINGS['operator_key']
WEBHOOK_URL = SETTINGS['webhook_url']

# The budget of a buy that goes through, and of one that waits for a person.
SMALL, LARGE = 10_000, 60_000

PUSH_TOKEN = 'a-token-of-the-client'

# However slow the machine is; no step takes this long.
STEP_SECONDS = 120


class Steps:
    """The steps over one binding. One that fails does not end the others."""

    def __init__(self, binding):
        self.binding = binding

    async def step(self, name, run):
        """Awaits `run()`, says what became of it, and gives what it returns; None when it failed."""
        try:
            value = await asyncio.wait_for(run(), STEP_SECONDS)
        except Exception as error:
            self._say(name, 'failed', f'{type(error).__name__}: {error}')
            return None
        self._say(name, 'ok')
        return value

    def _say(self, name, outcome, reason=None):
        line = {'binding': self.binding, 'step': name, 'outcome': outcome, 'reason': reason}
        print(json.dumps(line), flush=True)


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


async def refused(call, *words):
    """The words of a refusal reach the caller, whatever the exception is."""
    try:
        value = await call
    except Exception as error:
        told = str(error)
        expect(all(word in told for word in words), f'the refusal says only {told!r}')
        return
    raise AssertionError(f'nothing was refused: {value!r}'[:300])


def buy(budget=SMALL):
    """The input of a media buy of its own."""
    package = {
        'product_id': 'podcast_network_dynamic',
        'pricing_option_id': 'podcast_fixed_usd',
        'budget': budget,
    }
    return {
        'buyer_ref': f'client-{uuid.uuid4()}',
        'brand_manifest': {'name': 'Acme Outdoor', 'url': 'https://acme-outdoor.example'},
        'packages': [package],
        'start_time': {'type': 'asap'},
        'end_time': SETTINGS['end_time'],
    }
