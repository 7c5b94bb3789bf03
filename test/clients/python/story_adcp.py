"""
The buying story of the public protocol, as its own client for Python plays it: `adcp`, unmodified. With a release as its argument it speaks
that one, whatever the agent tells of; without one, what the two agree on.
"""

import asyncio
import json
import sys
import time
import urllib.request
import uuid
import warnings

from adcp import ADCPClient, AgentConfig, Protocol
from adcp import types as t
from adcp.signing import StaticJwksResolver
from adcp.signing.webhook_hmac import LegacyWebhookHmacOptions, verify_webhook_hmac
from adcp.signing.webhook_verifier import WebhookVerifyOptions, verify_webhook_signature
from beside import Receiver, approve
from steps import API_KEY, BASE_URL, LARGE, SETTINGS, SMALL, Steps, expect

IMAGE = 'https://cdn.acme.example/trail-300x250.jpg'
RELEASE = sys.argv[1] if len(sys.argv) > 1 else None
SECRET = 'a-secret-that-the-client-shares-with-the-agent'
ACCOUNT = {'brand': {'domain': 'acme.example'}, 'operator': 'agency.example'}


def order(**more):
    package = {
        'product_id': 'podcast_network_dynamic',
        'pricing_option_id': 'podcast_fixed_usd',
        'budget': SMALL,
        **more.pop('package', {}),
    }
    return t.CreateMediaBuyRequest.model_validate(
        {
            **{'account': ACCOUNT, 'brand': {'domain': 'acme.example'}, 'idempotency_key': str(uuid.uuid4())},
            **{'start_time': 'asap', 'end_time': SETTINGS['end_time'], 'packages': [package]},
            **more,
        }
    )


def change(media_buy_id, **more):
    given = {'account': ACCOUNT, 'media_buy_id': media_buy_id, 'idempotency_key': str(uuid.uuid4()), **more}
    return t.UpdateMediaBuyRequest.model_validate(given)


def answered(result, what):
    """What a call has come to, as plain data; an error of the agent's is one of the story."""
    expect(result.success and result.data is not None, f'{what}: {result.status}, {result.error}')
    return result.data.model_dump(mode='json', exclude_none=True)


async def play(steps, client, receiver):
    async def discover():
        tools = await client.list_tools()
        expect({'get_products', 'create_media_buy'} <= set(tools), f'it finds {tools}')

    async def capabilities():
        told = answered(await client.get_adcp_capabilities(t.GetAdcpCapabilitiesRequest()), 'capabilities')
        expect({'3.1', '3.2'} <= set(told['adcp']['supported_versions']), f'the releases are {told["adcp"]}')

    async def products():
        asked = {'buying_mode': 'brief', 'brief': 'podcasts', 'brand': {'domain': 'acme.example'}}
        told = answered(await client.get_products(t.GetProductsRequest.model_validate(asked)), 'products')
        expect(any(one['product_id'] == 'podcast_network_dynamic' for one in told['products']), 'it is not among them')

    async def accounts():
        mine = {**ACCOUNT, 'billing': 'operator'}
        given = t.SyncAccountsRequest.model_validate({'idempotency_key': str(uuid.uuid4()), 'accounts': [mine]})
        told = answered(await client.sync_accounts(given), 'sync')
        expect(told['accounts'][0]['status'] == 'active', f'it is {told}')
        listed = answered(await client.list_accounts(t.ListAccountsRequest.model_validate({})), 'list')
        ids = [one['account_id'] for one in listed['accounts']]
        expect(told['accounts'][0]['account_id'] in ids, f'there is {listed}')

    async def book():
        told = answered(await client.create_media_buy(order()), 'create')
        expect(told['packages'][0]['budget'] == SMALL, f'it is {told}')
        return told

    async def read(media_buy_id):
        asked = {'account': ACCOUNT, 'media_buy_ids': [media_buy_id]}
        told = answered(await client.get_media_buys(t.GetMediaBuysRequest.model_validate(asked)), 'read')
        return told['media_buys'][0]

    async def pause(made):
        package = {'package_id': made['packages'][0]['package_id'], 'paused': True}
        told = answered(await client.update_media_buy(change(made['media_buy_id'], packages=[package])), 'update')
        expect(told['affected_packages'][0]['paused'] is True, f'it is {told}')

    async def canonical():
        creative_id = f'adcp-canonical-{steps.binding}'
        creative = {
            **{'creative_id': creative_id, 'name': 'Trail shoes', 'format_kind': 'image'},
            'format_option_ref': {'scope': 'product', 'format_option_id': 'display_300x250'},
            'assets': {'image': {'asset_type': 'image', 'url': IMAGE, 'width': 300, 'height': 250}},
        }
        given = {'account': ACCOUNT, 'idempotency_key': str(uuid.uuid4()), 'creatives': [creative]}
        told = answered(await client.sync_creatives(t.SyncCreativesRequest.model_validate(given)), 'sync')
        expect(told['creatives'][0]['action'] in ('created', 'unchanged'), f'it is {told}')
        asked = t.ListCreativesRequest.model_validate({'filters': {'creative_ids': [creative_id]}})
        listed = answered(await client.list_creatives(asked), 'list')
        expect([one['format_kind'] for one in listed['creatives']] == ['image'], f'there is {listed}')

    async def control(media_buy_id):
        row = await read(media_buy_id)
        package_id = row['packages'][0]['package_id']
        given = {
            **{'account': ACCOUNT, 'media_buy_id': media_buy_id, 'revision': row['revision']},
            **{'idempotency_key': str(uuid.uuid4()), 'packages': [{'package_id': package_id, 'paused': False}]},
        }
        told = answered(await client.control_media_buy(t.ControlMediaBuyRequest.model_validate(given)), 'control')
        expect(told['affected_package_ids'] == [package_id], f'it is {told}')

    async def published():
        asked = t.ListProductsRequest.model_validate({'account': ACCOUNT, 'max_results': 100})
        told = answered(await client.list_products(asked), 'list products')
        expect(any(one['product_id'] == 'podcast_network_dynamic' for one in told['products']), 'it is not among them')
        return told

    async def purchase(feed):
        line = {'product_id': 'podcast_network_dynamic', 'pricing_option_id': 'podcast_fixed_usd', 'budget': SMALL}
        given = {
            **{'account': ACCOUNT, 'idempotency_key': str(uuid.uuid4()), 'feed_version': feed['feed_version']},
            **{'start_time': 'asap', 'end_time': SETTINGS['end_time'], 'purchases': [line]},
        }
        told = answered(await client.buy_products(t.BuyProductsRequest.model_validate(given)), 'buy products')
        expect(told['accepted_proposal']['terms_digest'].startswith('sha256:'), f'it is {told}')
        expect(told['purchase_bindings'][0]['product_id'] == 'podcast_network_dynamic', f'it is {told}')

    async def creatives():
        creative_id = f'adcp-{steps.binding}'
        creative = {
            **{'creative_id': creative_id, 'name': 'Trail shoes'},
            'format_id': {'agent_url': BASE_URL, 'id': 'display_300x250'},
            'assets': {'image': {'asset_type': 'image', 'url': IMAGE, 'width': 300, 'height': 250}},
        }
        given = {'account': ACCOUNT, 'idempotency_key': str(uuid.uuid4()), 'creatives': [creative]}
        told = answered(await client.sync_creatives_legacy(t.LegacySyncCreativesRequest.model_validate(given)), 'sync')
        expect(told['creatives'][0]['action'] in ('created', 'unchanged'), f'it is {told}')
        asked = t.LegacyListCreativesRequest.model_validate({'filters': {'creative_ids': [creative_id]}})
        listed = answered(await client.list_creatives_legacy(asked), 'list')
        expect([one['creative_id'] for one in listed['creatives']] == [creative_id], f'there is {listed}')

    async def delivery(media_buy_id):
        asked = {'account': ACCOUNT, 'media_buy_ids': [media_buy_id]}
        request = t.GetMediaBuyDeliveryRequest.model_validate(asked)
        told = answered(await client.get_media_buy_delivery(request), 'delivery')
        expect(told['media_buy_deliveries'][0]['media_buy_id'] == media_buy_id, f'it is {told}')

    async def cancel(media_buy_id):
        answered(await client.update_media_buy(change(media_buy_id, canceled=True)), 'cancel')
        row = await read(media_buy_id)
        expect(row['status'] == 'canceled', f'it is {row["status"]}')

    async def refusal():
        result = await client.create_media_buy(order(package={'product_id': 'none'}))
        told = f'{result.error} {getattr(result, "adcp_error", "")}'
        expect(not result.success and 'PRODUCT_NOT_FOUND' in told, f'it is told {told}')
        expect('packages[0].product_id' in told, f'the field is not told: {told}')

    async def waiting():
        config = {'url': f'{receiver.url}/{steps.binding}', 'operation_id': f'op-{steps.binding}'}
        result = await client.create_media_buy(order(package={'budget': LARGE}, push_notification_config=config))
        told = result.data.model_dump(mode='json', exclude_none=True)
        expect(told.get('status') == 'submitted' and told.get('task_id'), f'it is {told}')
        # Set to 3.1, the client does not offer it: "unavailable in AdCP 3.1".
        if RELEASE == '3.1':
            return
        asked = t.GetTaskStatusRequest.model_validate({'task_id': told['task_id']})
        standing = answered(await client.get_task_status(asked), 'status')
        expect(standing['status'] in ('submitted', 'working'), f'it stands {standing}')

    async def shared_secret():
        """A create that waits is granted; its end comes signed by a shared secret, and the client verifies and reads it."""
        path = f'/{steps.binding}-hmac'
        config = {'url': f'{receiver.url}{path}', 'operation_id': f'op-hmac-{steps.binding}'}
        config['authentication'] = {'schemes': ['HMAC-SHA256'], 'credentials': SECRET}
        result = await client.create_media_buy(order(package={'budget': LARGE}, push_notification_config=config))
        await approve(result.data.task_id)
        _, headers, body = await receiver.told(path, 'completed')
        options = {'secret': SECRET.encode(), 'sender_identity': 'seller', 'now': time.time()}
        # The client warns of this mode's age, and of how it writes its own models down.
        warnings.simplefilter('ignore')
        verify_webhook_hmac(headers=headers, body=body, options=LegacyWebhookHmacOptions(**options))
        told = json.loads(body)
        expect(told['task_id'] == result.data.task_id and told['task_type'] == 'create_media_buy', f'it is {told}')
        signature, timestamp = (headers[f'X-ADCP-{name}'] for name in ('Signature', 'Timestamp'))
        read = await client.handle_webhook(told, 'create_media_buy', told['operation_id'], signature, timestamp, body)
        bought = answered(read, 'webhook')
        expect(bought['media_buy_id'] == told['result']['media_buy_id'], f'it is read as {bought}')
        expect(bought['packages'][0]['budget'] == LARGE, f'it is read as {bought}')

    async def webhook():
        url, headers, body = await receiver.told(f'/{steps.binding}', 'working')
        with urllib.request.urlopen(f'{BASE_URL}/.well-known/jwks.json') as answer:
            jwks = json.load(answer)
        options = WebhookVerifyOptions(jwks_resolver=StaticJwksResolver(jwks))
        sender = verify_webhook_signature(method='POST', url=url, headers=headers, body=body, options=options)
        expect(sender is not None, 'it is not verified')
        expect(json.loads(body)['operation_id'] == f'op-{steps.binding}', 'the operation is another')

    await steps.step('discover', discover)
    await steps.step('capabilities', capabilities)
    await steps.step('products', products)
    await steps.step('accounts', accounts)
    made = await steps.step('book', book)
    media_buy_id = (made or {}).get('media_buy_id', 'none')
    await steps.step('read', lambda: read(media_buy_id))
    await steps.step('pause a package', lambda: pause(made))
    if RELEASE == '3.1':
        await steps.step('creatives', creatives)
    else:
        await steps.step('creatives by kind', canonical)
        await steps.step('control', lambda: control(media_buy_id))
        feed = await steps.step('list products', published)
        await steps.step('buy products', lambda: purchase(feed or {}))
    await steps.step('delivery', lambda: delivery(media_buy_id))
    await steps.step('cancel', lambda: cancel(media_buy_id))
    await steps.step('refusal', refusal)
    await steps.step('wait for a person', waiting)
    await steps.step('webhook, verified', webhook)
    await steps.step('end of the wait, by a shared secret', shared_secret)


async def main():
    receiver = Receiver()
    for binding, protocol, uri in (('A2A', 'a2a', BASE_URL), ('MCP', 'mcp', f'{BASE_URL}/mcp')):
        config = AgentConfig(id='seller', agent_uri=uri, protocol=Protocol(protocol), auth_token=API_KEY)
        async with ADCPClient(config, server_version=RELEASE, webhook_secret=SECRET) as client:
            await play(Steps(binding), client, receiver)


asyncio.run(main())
