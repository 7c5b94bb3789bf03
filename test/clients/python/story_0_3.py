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
    TextPart,
)

import story
from steps import API_KEY, BASE_URL, PUSH_TOKEN, STEP_SECONDS, WEBHOOK_URL, Steps, expect


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


def message(part):
    content = TextPart(text=part) if isinstance(part, str) else DataPart(data=part)
    return Message(message_id=str(uuid.uuid4()), role=Role.user, parts=[Part(root=content)])


def push_config():
    return PushNotificationConfig(id='mine', url=WEBHOOK_URL, token=PUSH_TOKEN)


def answer_of(task):
    parts = [part.root for part in task.artifacts[0].parts] if task.artifacts else []
    data = [part.data for part in parts if part.kind == 'data']
    return story.Answer(task.id, task.status.state.value, data[-1] if data else None)


async def states_of(events):
    """A task is one object that the client goes on changing."""
    async for task, _ in events:
        yield task.status.state.value


class Client:
    """Clients of one card and binding that differ in their configuration."""

    async def open(self, http, binding):
        card = await A2ACardResolver(http, BASE_URL).get_agent_card()
        expect(any(skill.id == 'create_media_buy' for skill in card.skills), 'no skill create_media_buy')

        def configured(**options):
            config = ClientConfig(
                httpx_client=http,
                grpc_channel_factory=open_channel,
                supported_transports=[binding],
                **{'streaming': False, **options},
            )
            return ClientFactory(config).create(card, interceptors=[AuthInterceptor(Key())])

        self.plain, self.streaming = configured(), configured(streaming=True)
        self.polling, self.pushing = configured(polling=True), configured(push_notification_configs=[push_config()])
        return self

    async def skills(self):
        return [skill.id for skill in (await self.plain.get_card()).skills]

    async def send(self, part, *, at_once=False, with_push=False):
        client = self.pushing if with_push else self.polling if at_once else self.plain
        answers = [answer async for answer in client.send_message(message(part))]
        expect(len(answers) == 1, f'{len(answers)} answers')
        return answer_of(answers[0][0])

    async def stream(self, part):
        return [state async for state in states_of(self.streaming.send_message(message(part)))]

    async def get(self, task_id):
        return answer_of(await self.plain.get_task(TaskQueryParams(id=task_id)))

    async def create_push(self, task_id):
        asked = TaskPushNotificationConfig(task_id=task_id, push_notification_config=push_config())
        return (await self.plain.set_task_callback(asked)).push_notification_config.url

    async def get_push(self, task_id):
        asked = GetTaskPushNotificationConfigParams(id=task_id, push_notification_config_id='mine')
        return (await self.plain.get_task_callback(asked)).push_notification_config.url

    def own_push_steps(self):
        return {}

    async def subscribe(self, task_id):
        events = self.streaming.resubscribe(TaskIdParams(id=task_id))
        task, _ = await anext(events)
        expect(task.id == task_id, f'the first event is of {task.id}')
        return states_of(events)

    async def cancel(self, task_id):
        return answer_of(await self.plain.cancel_task(TaskIdParams(id=task_id)))


async def play(binding, http):
    steps = Steps(binding)
    client = await steps.step('card', lambda: Client().open(http, binding))
    if client is not None:
        await story.play(steps, client)


async def main():
    for binding in sys.argv[1:]:
        # Over HTTP+JSON this client asks its interceptors for nothing.
        headers = {'Authorization': f'Bearer {API_KEY}'} if binding == 'HTTP+JSON' else {}
        async with httpx.AsyncClient(headers=headers, timeout=STEP_SECONDS) as http:
            await play(binding, http)


asyncio.run(main())
