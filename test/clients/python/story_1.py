"""The buying story by a2a-sdk 1.x for Python, from the card's URL alone, over each binding."""

import asyncio
import json
import sys
import urllib.request
import uuid

import grpc
import httpx
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

import story
from steps import API_KEY, BASE_URL, PUSH_TOKEN, STEP_SECONDS, WEBHOOK_URL, Steps, expect


class Key(CredentialService):
    async def get_credentials(self, security_scheme_name, context):
        return API_KEY if security_scheme_name == 'bearer' else None


def message(part, *, at_once=False):
    parts = [{'text': part} if isinstance(part, str) else {'data': part}]
    sent = {
        'message': {'messageId': str(uuid.uuid4()), 'role': 'ROLE_USER', 'parts': parts},
        'configuration': {'returnImmediately': at_once},
    }
    return ParseDict(sent, SendMessageRequest())


def push_config(task_id=''):
    return TaskPushNotificationConfig(task_id=task_id, id='mine', url=WEBHOOK_URL, token=PUSH_TOKEN)


async def open_client(binding, *, streaming=False, push=None):
    config = ClientConfig(
        httpx_client=patient(),
        streaming=streaming,
        supported_protocol_bindings=[binding],
        grpc_channel_factory=grpc.aio.insecure_channel,
        push_notification_config=push,
    )
    return await create_client(BASE_URL, config, interceptors=[AuthInterceptor(Key())])


def patient():
    """One that waits as long as a step may take; by itself it gives up after five seconds."""
    return httpx.AsyncClient(timeout=STEP_SECONDS)


def name_of(state):
    return TaskState.Name(state).removeprefix('TASK_STATE_').lower().replace('_', '-')


def answer_of(task):
    parts = task.artifacts[0].parts if len(task.artifacts) > 0 else []
    data = [MessageToDict(part.data) for part in parts if part.HasField('data')]
    return story.Answer(task.id, name_of(task.status.state), data[-1] if data else None)


async def states_of(events):
    async for event in events:
        for kind in ('task', 'status_update'):
            if event.HasField(kind):
                yield name_of(getattr(event, kind).status.state)


class Client:
    async def open(self, binding):
        self.plain = await open_client(binding)
        self.streaming = await open_client(binding, streaming=True)
        self.pushing = await open_client(binding, push=push_config())
        return self

    async def close(self):
        for opened in (self.plain, self.streaming, self.pushing):
            await opened.close()

    async def skills(self):
        return [skill.id for skill in (await self.plain.get_extended_agent_card(GetExtendedAgentCardRequest())).skills]

    async def send(self, part, *, at_once=False, with_push=False):
        client = self.pushing if with_push else self.plain
        events = [event async for event in client.send_message(message(part, at_once=at_once))]
        expect(len(events) == 1 and events[0].HasField('task'), f'no task: {events}')
        return answer_of(events[0].task)

    async def stream(self, part):
        return [state async for state in states_of(self.streaming.send_message(message(part)))]

    async def get(self, task_id):
        return answer_of(await self.plain.get_task(GetTaskRequest(id=task_id)))

    async def create_push(self, task_id):
        return (await self.plain.create_task_push_notification_config(push_config(task_id))).url

    async def get_push(self, task_id):
        asked = GetTaskPushNotificationConfigRequest(task_id=task_id, id='mine')
        return (await self.plain.get_task_push_notification_config(asked)).url

    def own_push_steps(self):
        return {'push config: list': self.list_push, 'push config: delete': self.delete_push}

    async def list_push(self, task_id, expected=('mine',)):
        asked = ListTaskPushNotificationConfigsRequest(task_id=task_id)
        ids = [config.id for config in (await self.plain.list_task_push_notification_configs(asked)).configs]
        expect(ids == list(expected), f'the push configs are {ids}')

    async def delete_push(self, task_id):
        asked = DeleteTaskPushNotificationConfigRequest(task_id=task_id, id='mine')
        await self.plain.delete_task_push_notification_config(asked)
        await self.list_push(task_id, ())

    async def subscribe(self, task_id):
        events = self.streaming.subscribe(SubscribeToTaskRequest(id=task_id))
        first = await anext(events)
        expect(first.HasField('task') and first.task.id == task_id, f'the first event is {first}')
        return states_of(events)

    async def cancel(self, task_id):
        return answer_of(await self.plain.cancel_task(CancelTaskRequest(id=task_id)))


def key_set():
    with urllib.request.urlopen(f'{BASE_URL}/.well-known/jwks.json', timeout=30) as answer:
        return PyJWKSet.from_dict(json.load(answer))


async def verify_card(client):
    keys = await asyncio.to_thread(key_set)
    verifier = create_signature_verifier(lambda kid, _url: keys[kid], ['EdDSA', 'ES256'])
    await client.get_extended_agent_card(GetExtendedAgentCardRequest(), signature_verifier=verifier)
    public = await create_client(BASE_URL, ClientConfig(httpx_client=patient()), signature_verifier=verifier)
    await public.close()


async def list_two_pages(client):
    first = await client.list_tasks(ListTasksRequest(page_size=1))
    expect(len(first.tasks) == 1 and first.next_page_token, 'no second page is named')
    second = await client.list_tasks(ListTasksRequest(page_size=1, page_token=first.next_page_token))
    expect(len(second.tasks) == 1 and second.tasks[0].id != first.tasks[0].id, 'page 2 is page 1')


async def play(binding):
    steps = Steps(binding)
    client = await steps.step('card', lambda: Client().open(binding))
    if client is None:
        return
    await steps.step('card signature', lambda: verify_card(client.plain))
    await story.play(steps, client)
    await steps.step('list, two pages', lambda: list_two_pages(client.plain))
    await client.close()


async def main():
    for binding in sys.argv[1:]:
        await play(binding)


asyncio.run(main())
