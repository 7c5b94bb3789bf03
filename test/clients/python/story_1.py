"""The buying story by a2a-sdk 1.x for Python, from the card's URL alone, over each binding."""

import asyncio
import json
import sys
import urllib.request
import uuid

import grpc
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.client.client import ClientConfig
from a2a.client.client_factory import create_client
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.signing import create_signature_verifier
from google.protobuf.json_format import MessageToDict, ParseDict
from jwt import PyJWKSet

from steps import API_KEY, BASE_URL, LARGE, PUSH_TOKEN, WEBHOOK_URL, Steps, buy, expect, refused

COMPLETED, CANCELED = TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_CANCELED


class Key(CredentialService):
    async def get_credentials(self, security_scheme_name, context):
        return API_KEY if security_scheme_name == 'bearer' else None


def request(skill, given, *, at_once=False):
    return message({'data': {'skill': skill, 'input': given}}, at_once=at_once)


def message(part, *, at_once=False):
    return ParseDict(
        {
            'message': {'messageId': str(uuid.uuid4()), 'role': 'ROLE_USER', 'parts': [part]},
            'configuration': {'returnImmediately': at_once},
        },
        SendMessageRequest(),
    )


async def open_client(binding, *, streaming=False, push=None):
    config = ClientConfig(
        streaming=streaming,
        supported_protocol_bindings=[binding],
        grpc_channel_factory=grpc.aio.insecure_channel,
        push_notification_config=push,
    )
    return await create_client(BASE_URL, config, interceptors=[AuthInterceptor(Key())])


async def send(client, sent):
    """The task that a call without a stream answers with."""
    events = [event async for event in client.send_message(sent)]
    expect(len(events) == 1 and events[0].HasField('task'), f'no task: {events}')
    return events[0].task


def data_of(task):
    expect(len(task.artifacts) > 0, f'no artifact; the task is {TaskState.Name(task.status.state)}')
    parts = [MessageToDict(part.data) for part in task.artifacts[0].parts if part.HasField('data')]
    return parts[-1]


def state_of(event):
    if event.HasField('task'):
        return event.task.status.state
    return event.status_update.status.state if event.HasField('status_update') else None


async def buy_completed(client):
    task = await send(client, request('create_media_buy', buy()))
    expect(task.status.state == COMPLETED, TaskState.Name(task.status.state))
    expect(data_of(task)['media_buy_id'], 'no media_buy_id')
    return task.id


async def buy_streamed(streaming):
    states = [state_of(event) async for event in streaming.send_message(request('create_media_buy', buy()))]
    states = [state for state in states if state is not None]
    expect(states[-1:] == [COMPLETED] and len(states) >= 2, f'the states are {states}')


async def buy_that_waits(client):
    task = await send(client, request('create_media_buy', buy(LARGE), at_once=True))
    expect(task.status.state in (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING), str(task.status))
    return task.id


async def find_products(client):
    task = await send(client, request('get_products', {'brief': 'podcasts'}))
    expect(data_of(task)['products'], 'no products')


async def ask_in_words(client):
    task = await send(client, message({'text': 'podcast ads for runners'}))
    expect(task.status.state == COMPLETED and data_of(task)['products'], str(task.status))


async def read_card(client):
    card = await client.get_extended_agent_card(GetExtendedAgentCardRequest())
    expect(any(skill.id == 'create_media_buy' for skill in card.skills), 'no skill create_media_buy')


def key_set():
    with urllib.request.urlopen(f'{BASE_URL}/.well-known/jwks.json', timeout=30) as answer:
        return PyJWKSet.from_dict(json.load(answer))


async def verify_card(client):
    keys = await asyncio.to_thread(key_set)
    verifier = create_signature_verifier(lambda kid, _url: keys[kid], ['EdDSA', 'ES256'])
    await client.get_extended_agent_card(GetExtendedAgentCardRequest(), signature_verifier=verifier)
    public = await create_client(BASE_URL, ClientConfig(), signature_verifier=verifier)
    await public.close()


async def list_two_pages(client):
    first = await client.list_tasks(ListTasksRequest(page_size=1))
    expect(len(first.tasks) == 1 and first.next_page_token, 'no second page is named')
    second = await client.list_tasks(ListTasksRequest(page_size=1, page_token=first.next_page_token))
    expect(len(second.tasks) == 1 and second.tasks[0].id != first.tasks[0].id, 'page 2 is page 1')


async def read_task(client, task_id):
    task = await client.get_task(GetTaskRequest(id=task_id))
    expect(task.id == task_id, 'another task')


def push_config(task_id=''):
    return TaskPushNotificationConfig(task_id=task_id, id='mine', url=WEBHOOK_URL, token=PUSH_TOKEN)


async def create_push(client, task_id):
    made = await client.create_task_push_notification_config(push_config(task_id))
    expect((made.id, made.url) == ('mine', WEBHOOK_URL), str(made))


async def get_push(client, task_id):
    found = await client.get_task_push_notification_config(
        GetTaskPushNotificationConfigRequest(task_id=task_id, id='mine')
    )
    expect((found.id, found.url) == ('mine', WEBHOOK_URL), str(found))


async def list_push(client, task_id):
    listed = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task_id))
    return [config.id for config in listed.configs]


async def list_push_once(client, task_id):
    expect(await list_push(client, task_id) == ['mine'], 'not the one config')


async def delete_push(client, task_id):
    await client.delete_task_push_notification_config(
        DeleteTaskPushNotificationConfigRequest(task_id=task_id, id='mine')
    )
    expect(await list_push(client, task_id) == [], 'it is listed still')


async def subscribe(streaming, task_id):
    """The stream, after its first event, which is the task as it stands."""
    events = streaming.subscribe(SubscribeToTaskRequest(id=task_id))
    first = await anext(events)
    expect(first.HasField('task') and first.task.id == task_id, f'the first event is {first}')
    return events


async def cancel(client, task_id):
    task = await client.cancel_task(CancelTaskRequest(id=task_id))
    expect(task.status.state == CANCELED, TaskState.Name(task.status.state))


async def read_to_end(events):
    states = [state_of(event) async for event in events]
    expect(states[-1:] == [CANCELED], f'the stream ends by {states}')


async def stream_of(streaming, sent):
    return [event async for event in streaming.send_message(sent)]


async def play(binding):
    steps = Steps(binding)
    client = await steps.step('card', lambda: open_client(binding))
    if client is None:
        return
    streaming = await open_client(binding, streaming=True)
    pushing = await open_client(binding, push=push_config())

    await steps.step('card signature', lambda: verify_card(client))
    await steps.step('extended card', lambda: read_card(client))
    await steps.step('get_products', lambda: find_products(client))
    await steps.step('plain text', lambda: ask_in_words(client))
    bought = await steps.step('buy, blocking', lambda: buy_completed(client))
    await steps.step('buy, streamed', lambda: buy_streamed(streaming))
    waiting = await steps.step('buy, at once', lambda: buy_that_waits(client)) or ''
    await steps.step('get', lambda: read_task(client, bought or ''))
    await steps.step('list, two pages', lambda: list_two_pages(client))
    await steps.step('push config: create', lambda: create_push(client, waiting))
    await steps.step('push config: get', lambda: get_push(client, waiting))
    await steps.step('push config: list', lambda: list_push_once(client, waiting))
    await steps.step('push config: delete', lambda: delete_push(client, waiting))
    events = await steps.step('subscribe', lambda: subscribe(streaming, waiting))
    await steps.step('cancel', lambda: cancel(client, waiting))
    await steps.step('end of subscription', lambda: read_to_end(events))

    wrong = {'buyer_ref': 'wrong'}
    await steps.step('refusal', lambda: refused(send(client, request('create_media_buy', wrong)), 'packages'))
    await steps.step(
        'refused stream', lambda: refused(stream_of(streaming, request('create_media_buy', wrong)), 'packages')
    )
    unknown = GetTaskRequest(id=str(uuid.uuid4()))
    await steps.step('unknown task', lambda: refused(client.get_task(unknown), 'not found'))
    await steps.step('get_products with a push config for every request', lambda: find_products(pushing))
    for opened in (client, streaming, pushing):
        await opened.close()


async def main():
    for binding in sys.argv[1:]:
        await play(binding)


asyncio.run(main())
