"""The example in Python, as a buyer runs it."""

import asyncio
import os
import sys
from pathlib import Path

from steps import API_KEY, BASE_URL, Steps, expect

EXAMPLE = Path(__file__).resolve().parents[3] / 'examples' / 'buyer' / 'first_buy.py'


async def run_it():
    env = {**os.environ, 'AGENT_URL': BASE_URL, 'API_KEY': API_KEY}
    pipes = {'stdout': asyncio.subprocess.PIPE, 'stderr': asyncio.subprocess.PIPE}
    ran = await asyncio.create_subprocess_exec(sys.executable, str(EXAMPLE), env=env, **pipes)
    told, wrong = await ran.communicate()
    said = told + wrong[-300:]
    expect(ran.returncode == 0 and b'"media_buy_id"' in told, f'it ended with {ran.returncode} and said {said!r}')


asyncio.run(Steps('JSONRPC').step('first buy', run_it))
