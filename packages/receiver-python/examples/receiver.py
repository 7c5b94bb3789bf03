"""What all examples here have in common: a receiver of one seller's webhooks."""

import os

from media_buy_receiver import MemoryInbox, MemoryReplayStore, PublishedKeys, Receiver, Rules, Signed


def on_event(webhook):
    event = webhook.event
    print(event.get('task_id'), event.get('status'), event.get('result'), flush=True)


receiver = Receiver(
    public_url=os.environ.get('PUBLIC_URL', 'https://buyer.example'),
    # The `jwks_uri` beside the agent in the seller's /.well-known/brand.json.
    registration=Signed(
        PublishedKeys(os.environ.get('JWKS_URL', 'https://sales.publisher.example/.well-known/jwks.json')),
        sender='sales.publisher.example',
    ),
    rules=Rules(replay=MemoryReplayStore()),
    inbox=MemoryInbox(),
    on_event=on_event,
)
