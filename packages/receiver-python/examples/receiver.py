"""What all examples here have in common: a receiver of one seller's webhooks."""

import os

from media_buy_receiver import MemoryInbox, MemoryReplayStore, Receiver, Rules, Signed, agent_keys


def on_event(webhook):
    event = webhook.event
    print(event.get('task_id'), event.get('status'), event.get('result'), flush=True)


receiver = Receiver(
    public_url=os.environ.get('PUBLIC_URL', 'https://buyer.example'),
    registration=Signed(agent_keys(os.environ.get('AGENT_URL', 'https://sales.publisher.example'))),
    rules=Rules(replay=MemoryReplayStore()),
    inbox=MemoryInbox(),
    on_event=on_event,
    on_outcome=lambda answer: print(answer.status, answer.outcome, answer.code or '', answer.reason, flush=True),
)
