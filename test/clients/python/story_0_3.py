"""The buying story by a2a-sdk 0.3.x for Python, from the card's URL alone, over each binding."""

import asyncio
import sys
import uuid

import grpc
import httpx
from a2a.client import A2ACardResolver
from a2a.client.auth import AuthInterceptor, CredentialService
from a2a.client.client import ClientConfig
from a2a.client.client_factory import ClientFactory
from a2a.types import (
    DataPart,
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TaskState,
    TextPart,
)

from steps import API_KEY, BASE_URL, LARGE, PUSH_TOKEN, WEBHOOK_URL, Steps, buy, expect, refused


class Key(CredentialService):
    async def get_credentials(self, security_scheme_name, context):
        return API_KEY if security_scheme_name == 'bearer' else None


class WithKey(grpc.aio.UnaryUnaryClientInterceptor):
    """This client hands no credential to gRPC: the channel does."""

    async def intercept_unary_unary(self, continuation, details, sent):
        return await continuation(with_key(details), sent)


class StreamWithKey(grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation, details, sent):
        return await continuation(with_key(details), sent)


def with_key(details):
    metadata = grpc.aio.Metadata(*(details.metadata or ()), ('authorization', f'Bearer {API_KEY}'))
    return details._replace(metadata=metadata)


def open_channel(url):
    return grpc.aio.insecure_channel(url, interceptors=[WithKey(), StreamWithKey()])


def request(skill, given):
    return message(DataPart(data={'skill': skill, 'input': given}))


def message(part):
    return Message(message_id=str(uuid.uuid4()), role=Role.user, parts=[Part(root=part)])


async def read_public_card(http):
    card = await A2ACardResolver(http, BASE_URL).get_agent_card()
    expect(any(skill.id == 'create_media_buy' for skill in card.skills), 'no skill create_media_buy')
    return card


class Clients:
    """Clients of one card and binding that differ in their configuration."""

    def __init__(self, http, card, binding):
        self.http, self.card, self.binding = http, card, binding

    def open(self, *, streaming=False, polling=False, push=None):
        config = ClientConfig(
            streaming=streaming,
            polling=polling,
            httpx_client=self.http,
            grpc_channel_factory=open_channel,
            supported_transports=[self.binding],
            push_notification_configs=[push] if push else [],
        )
        return ClientFactory(config).create(self.card, interceptors=[AuthInterceptor(Key())])


async def send(client, sent):
    """The task that a call without a stream answers with."""
    answers = [answer async for answer in client.send_message(sent)]
    expect(len(answers) == 1, f'{len(answers)} answers')
    return answers[0][0]


def data_of(task):
    expect(task.artifacts, f'no artifact; the task is {task.status.state}')
    return [part.root.data for part in task.artifacts[0].parts if part.root.kind == 'data'][-1]


async def buy_completed(client):
    task = await send(client, request('create_media_buy', buy()))
    expect(task.status.state == TaskState.completed, task.status.state)
    expect(data_of(task)['media_buy_id'], 'no media_buy_id')
    return task.id


async def buy_streamed(streaming):
    # A task is one object that the client goes on changing.
    states = [task.status.state async for task, _ in streaming.send_message(request('create_media_buy', buy()))]
    expect(states[-1:] == [TaskState.completed] and len(states) >= 2, f'the states are {states}')


async def buy_that_waits(polling):
    task = await send(polling, request('create_media_buy', buy(LARGE)))
    expect(task.status.state in (TaskState.submitted, TaskState.working), task.status.state)
    return task.id


async def find_products(client):
    task = await send(client, request('get_products', {'brief': 'podcasts'}))
    expect(data_of(task)['products'], 'no products')


async def ask_in_words(client):
    task = await send(client, message(TextPart(text='podcast ads for runners')))
    expect(task.status.state == TaskState.completed and data_of(task)['products'], task.status.state)


async def read_card(client):
    card = await client.get_card()
    expect(any(skill.id == 'create_media_buy' for skill in card.skills), 'no skill create_media_buy')


async def read_task(client, task_id):
    expect((await client.get_task(TaskQueryParams(id=task_id))).id == task_id, 'another task')


def push_config():
    return PushNotificationConfig(id='mine', url=WEBHOOK_URL, token=PUSH_TOKEN)


async def create_push(client, task_id):
    made = await client.set_task_callback(
        TaskPushNotificationConfig(task_id=task_id, push_notification_config=push_config())
    )
    expect(made.push_notification_config.url == WEBHOOK_URL, str(made))


async def get_push(client, task_id):
    found = await client.get_task_callback(
        GetTaskPushNotificationConfigParams(id=task_id, push_notification_config_id='mine')
    )
    expect(found.push_notification_config.url == WEBHOOK_URL, str(found))


async def subscribe(streaming, task_id):
    """The stream, after its first event, which is the task as it stands."""
    events = streaming.resubscribe(TaskIdParams(id=task_id))
    task, _ = await anext(events)
    expect(task.id == task_id, f'the first event is of {task.id}')
    return events


async def cancel(client, task_id):
    task = await client.cancel_task(TaskIdParams(id=task_id))
    expect(task.status.state == TaskState.canceled, task.status.state)


async def read_to_end(events):
    states = [task.status.state async for task, _ in events]
    expect(states[-1:] == [TaskState.canceled], f'the stream ends by {states}')


async def stream_of(streaming, sent):
    return [event async for event in streaming.send_message(sent)]


async def play(binding, http):
    steps = Steps(binding)
    card = await steps.step('card', lambda: read_public_card(http))
    if card is None:
        return
    clients = Clients(http, card, binding)
    client, streaming, polling = clients.open(), clients.open(streaming=True), clients.open(polling=True)
    pushing = clients.open(push=push_config())

    await steps.step('extended card', lambda: read_card(client))
    await steps.step('get_products', lambda: find_products(client))
    await steps.step('plain text', lambda: ask_in_words(client))
    bought = await steps.step('buy, blocking', lambda: buy_completed(client))
    await steps.step('buy, streamed', lambda: buy_streamed(streaming))
    waiting = await steps.step('buy, at once', lambda: buy_that_waits(polling)) or ''
    await steps.step('get', lambda: read_task(client, bought or ''))
    await steps.step('push config: create', lambda: create_push(client, waiting))
    await steps.step('push config: get', lambda: get_push(client, waiting))
    events = await steps.step('subscribe', lambda: subscribe(streaming, waiting))
    await steps.step('cancel', lambda: cancel(client, waiting))
    await steps.step('end of subscription', lambda: read_to_end(events))

    wrong = {'buyer_ref': 'wrong'}
    await steps.step('refusal', lambda: refused(send(client, request('create_media_buy', wrong)), 'packages'))
    await steps.step(
        'refused stream', lambda: refused(stream_of(streaming, request('create_media_buy', wrong)), 'packages')
    )
    unknown = TaskQueryParams(id=str(uuid.uuid4()))
    await steps.step('unknown task', lambda: refused(client.get_task(unknown), 'not found'))
    await steps.step('get_products with a push config for every request', lambda: find_products(pushing))


async def main():
    for binding in sys.argv[1:]:
        # Over HTTP+JSON this client asks its interceptors for nothing.
        headers = {'Authorization': f'Bearer {API_KEY}'} if binding == 'HTTP+JSON' else {}
        async with httpx.AsyncClient(headers=headers) as http:
            await play(binding, http)


asyncio.run(main())
