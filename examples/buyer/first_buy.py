"""A buyer's first media buy, by the SDK of A2A (`pip install a2a-sdk`): AGENT_URL and API_KEY say with whom."""

import asyncio
import json
import os
import uuid
from datetime import datetime, timedelta, timezone

import httpx
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.client.client import ClientConfig
from a2a.client.client_factory import create_client
from a2a.types.a2a_pb2 import GetTaskRequest, SendMessageRequest, TaskState
from google.protobuf.json_format import MessageToDict, ParseDict

AGENT_URL = os.environ.get('AGENT_URL', 'http://127.0.0.1:8080')
GOES_ON = (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING)


class Key(CredentialService):
    async def get_credentials(self, security_scheme_name, context):
        return os.environ['API_KEY'] if security_scheme_name == 'bearer' else None


async def ask(client, skill, given):
    """One call, until its task is over. What waits for a person takes days: a webhook tells of that, too."""
    part = {'data': {'skill': skill, 'input': given}}
    message = {'messageId': str(uuid.uuid4()), 'role': 'ROLE_USER', 'parts': [part]}
    request = ParseDict({'message': message}, SendMessageRequest())
    task = [event.task async for event in client.send_message(request)][0]
    while task.status.state in GOES_ON:
        print(*(part.text for part in task.status.message.parts))
        await asyncio.sleep(2)
        task = await client.get_task(GetTaskRequest(id=task.id))
    answer = task.artifacts[0] if task.artifacts else task.status.message
    return MessageToDict(answer.parts[-1].data)


async def main():
    # An answer takes 20 seconds at the most; a client of its own gives up after five.
    http = httpx.AsyncClient(timeout=30)
    config = ClientConfig(streaming=False, supported_protocol_bindings=['JSONRPC'], httpx_client=http)
    client = await create_client(AGENT_URL, config, interceptors=[AuthInterceptor(Key())])
    found = await ask(client, 'get_products', {'brief': 'podcasts for runners', 'limit': 3})
    for product in found['products']:
        print(f"{product['product_id']}: {product['match_reason']}")

    buy_id = str(uuid.uuid4())
    bought = await ask(client, 'create_media_buy', {
        'buyer_ref': f'first-buy-{buy_id}',
        'idempotency_key': buy_id,
        'brand_manifest': {'name': 'Acme Outdoor', 'url': 'https://acme-outdoor.example'},
        'packages': [
            {
                'product_id': 'podcast_network_dynamic',
                'pricing_option_id': 'podcast_fixed_usd',
                'budget': 10_000,
            }
        ],
        'start_time': {'type': 'asap'},
        'end_time': (datetime.now(timezone.utc) + timedelta(days=90)).isoformat(),
    })
    print(json.dumps(bought, indent=2))
    await http.aclose()


asyncio.run(main())
