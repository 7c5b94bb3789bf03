"""The buying story as every Python client plays it over one binding; how a client calls is its own."""

import asyncio
import uuid
from typing import Any, AsyncIterator, Awaitable, Callable, NamedTuple, Protocol

from steps import LARGE, WEBHOOK_URL, Steps, buy, expect, refused


class Answer(NamedTuple):
    """A task as a client has read it: `state` in the words of A2A 0.3, `data` of its first artifact, None without one."""

    task_id: str
    state: str
    data: dict[str, Any] | None


class Client(Protocol):
    """One generation of the client over one binding. What the agent refuses is raised as the client raises it."""

    async def skills(self) -> list[str]:
        """Those that the extended card lists."""

    async def send(self, part: dict[str, Any] | str, *, at_once: bool = False, with_push: bool = False) -> Answer:
        """A call of a skill, or a text. `with_push`: by a client that sends a push config with every request."""

    async def stream(self, part: dict[str, Any]) -> list[str]:
        """The states that a streamed call goes through, to its end."""

    async def get(self, task_id: str) -> Answer: ...

    async def create_push(self, task_id: str) -> str:
        """Gives the URL of the push config that was made."""

    async def get_push(self, task_id: str) -> str: ...

    def own_push_steps(self) -> dict[str, Callable[[str], Awaitable[None]]]:
        """What this generation alone knows to do with the push config of a task."""

    async def subscribe(self, task_id: str) -> AsyncIterator[str]:
        """The states of a task from now on; the first event, which is the task as it stands, is read."""

    async def cancel(self, task_id: str) -> Answer: ...


def call(skill, given):
    return {'skill': skill, 'input': given}


async def play(steps: Steps, client: Client) -> None:
    """All steps from the extended card on."""
    products, wrong = call('get_products', {'brief': 'podcasts'}), call('create_media_buy', {'buyer_ref': 'wrong'})

    async def read_card():
        expect('create_media_buy' in await client.skills(), 'no skill create_media_buy')

    async def send_to_end(part, **how):
        """Looks again where a slow machine has let the 20 seconds pass for which the agent waits."""
        answer = await client.send(part, **how)
        while answer.state in ('submitted', 'working'):
            await asyncio.sleep(0.5)
            answer = await client.get(answer.task_id)
        return answer

    async def find(part, **how):
        answer = await send_to_end(part, **how)
        expect(answer.state == 'completed' and (answer.data or {}).get('products'), f'no products: {answer}')

    async def buy_completed():
        answer = await send_to_end(call('create_media_buy', buy()))
        expect(answer.state == 'completed' and (answer.data or {}).get('media_buy_id'), f'no media buy: {answer}')
        return answer.task_id

    async def buy_streamed():
        states = await client.stream(call('create_media_buy', buy()))
        expect(states[-1:] == ['completed'] and len(states) >= 2, f'the states are {states}')

    async def buy_that_waits():
        answer = await client.send(call('create_media_buy', buy(LARGE)), at_once=True)
        expect(answer.state in ('submitted', 'working'), f'it does not wait: {answer}')
        return answer.task_id

    async def read(task_id):
        expect((await client.get(task_id)).task_id == task_id, 'another task')

    async def is_ours(asked):
        url = await asked
        expect(url == WEBHOOK_URL, f'the push config leads to {url}')

    async def cancel(task_id):
        answer = await client.cancel(task_id)
        expect(answer.state == 'canceled', f'it goes on: {answer}')

    async def read_to_end(states):
        seen = [state async for state in states]
        expect(seen[-1:] == ['canceled'], f'the stream ends by {seen}')

    await steps.step('extended card', read_card)
    await steps.step('get_products', lambda: find(products))
    await steps.step('plain text', lambda: find('podcast ads for runners'))
    bought = await steps.step('buy, blocking', buy_completed) or ''
    await steps.step('buy, streamed', buy_streamed)
    waiting = await steps.step('buy, at once', buy_that_waits) or ''
    await steps.step('get', lambda: read(bought))
    await steps.step('push config: create', lambda: is_ours(client.create_push(waiting)))
    await steps.step('push config: get', lambda: is_ours(client.get_push(waiting)))
    for name, own in client.own_push_steps().items():
        await steps.step(name, lambda own=own: own(waiting))
    following = await steps.step('subscribe', lambda: client.subscribe(waiting))
    await steps.step('cancel', lambda: cancel(waiting))
    await steps.step('end of subscription', lambda: read_to_end(following))
    await steps.step('refusal', lambda: refused(client.send(wrong), 'packages'))
    await steps.step('refused stream', lambda: refused(client.stream(wrong), 'packages'))
    await steps.step('unknown task', lambda: refused(client.get(str(uuid.uuid4())), 'not found'))
    await steps.step('get_products with a push config for every request', lambda: find(products, with_push=True))
