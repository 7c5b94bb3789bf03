"""A buyer's first media buy, by the SDK of A2A (`pip install a2a-sdk`): AGENT_URL and API_KEY say with whom."""

import asyncio
import json
import os
import uuid
from datetime import datetime, timedelta, timezone

from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.client.client import ClientConfig
from a2a.client.client_factory import create_client
from a2a.types.a2a_pb2 import SendMessageRequest
from google.protobuf.json_format import MessageToDict, ParseDict

AGENT_URL = os.environ.get('AGENT_URL', 'http://127.0.0.1:8080')


class Key(CredentialService):
    async def get_credentials(self, security_scheme_name, context):
        return os.environ['API_KEY'] if security_scheme_name == 'bearer' else None


async def ask(client, skill, given):
    """One call; its task may be over, or go on: then `client.get_task` and webhooks tell more."""
    part = {'data': {'skill': skill, 'input': given}}
    message = {'messageId': str(uuid.uuid4()), 'role': 'ROLE_USER', 'parts': [part]}
    request = ParseDict({'message': message}, SendMessageRequest())
    async for event in client.send_message(request):
        for artifact in event.task.artifacts:
            return MessageToDict(artifact.parts[-1].data)


async def main():
    config = ClientConfig(streaming=False, supported_protocol_bindings=['JSONRPC'])
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
    await client.close()


asyncio.run(main())
