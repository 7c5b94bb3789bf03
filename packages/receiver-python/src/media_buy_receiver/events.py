"""A webhook's content in one shape, whichever envelope it came in."""

from __future__ import annotations

import hashlib
from typing import Any, Mapping

from ._wire import Malformed, instant_of, strict_json

Event = Mapping[str, Any]
"""`format` (`mcp`, `a2a`, `other`), `idempotency_key` and `is_final` always; `task_id`, `operation_id`, `task_type`,
`domain`, `status`, `timestamp`, `message`, `result`, `context`, `context_id`, `notification_id` as far as they came."""

_FINAL = ('completed', 'failed', 'canceled', 'rejected')
_STATES = ('submitted', 'working', 'input-required', 'auth-required', *_FINAL)
_TEXTS = ('task_id', 'operation_id', 'task_type', 'domain', 'status', 'timestamp', 'message', 'notification_id')
_REPORTS = ('scheduled', 'final', 'delayed', 'adjusted')


class Unreadable(Exception):
    """Verified, and no event that this version can read."""


def read_event(body: bytes) -> tuple[Event, Any]:
    """The event of a verified body, and the JSON it was in. Raises Unreadable for what has none."""
    try:
        value = strict_json(body)
    except Malformed as error:
        raise Unreadable(str(error)) from error
    if not isinstance(value, dict):
        raise Unreadable('the body is no JSON object')
    entries = [entry for entry in (value, value.get('task'), value.get('statusUpdate')) if isinstance(entry, dict)]
    a2a = [entry for entry in entries if isinstance(_in(entry, 'status').get('state'), str)]
    event = _event_of_a2a(a2a[0], body) if a2a else _event_of_envelope(value)
    if event['format'] != 'other' and event.get('status') not in _STATES:
        raise Unreadable(f'{event.get("status")!r} is no status of a task')
    return event, value


def order_of(event: Event) -> tuple[str, float] | None:
    """What an event tells the state of, and of which instant (ms); None for one that stands alone."""
    instant, result = instant_of(event.get('timestamp')), event.get('result')
    if instant is None or (isinstance(result, dict) and result.get('notification_type') in _REPORTS):
        return None
    # A final status comes after any other of the same millisecond.
    at = round(instant * 1000) + (0.5 if event['is_final'] else 0)
    if 'notification_id' in event:
        return f'notification {event["notification_id"]}', at
    is_task = event['format'] != 'other' and 'task_id' in event
    return (f'task {event["task_id"]}', at) if is_task else None


def _event_of_envelope(body: dict[str, Any]) -> Event:
    if not _is_key(body.get('idempotency_key')):
        raise Unreadable('there is no idempotency_key of 1 to 255 characters')
    is_task = isinstance(body.get('status'), str) and isinstance(body.get('task_id'), str)
    return {
        'format': 'mcp' if is_task else 'other',
        'idempotency_key': body['idempotency_key'],
        'is_final': is_task and body['status'] in _FINAL,
        **{name: body[name] for name in _TEXTS if isinstance(body.get(name), str)},
        **{name: body[name] for name in ('result', 'context') if name in body},
    }


def _event_of_a2a(entry: dict[str, Any], body: bytes) -> Event:
    status, metadata = entry['status'], _in(entry, 'metadata')
    state = status['state']
    if state.startswith('TASK_STATE_'):
        state = state[11:].lower().replace('_', '-')
    parts = _objects(_in(status, 'message').get('parts'))
    artifacts = _objects(entry.get('artifacts')) if state in _FINAL else []
    results = [part['data'] for part in _objects(artifacts[0].get('parts')) if 'data' in part] if artifacts else []
    results = results[-1:] or [part['data'] for part in parts if 'data' in part]
    key = metadata.get('idempotency_key')
    texts = {
        'task_id': entry.get('id', entry.get('taskId')),
        'context_id': entry.get('contextId'),
        'timestamp': status.get('timestamp'),
        'message': next((part['text'] for part in parts if isinstance(part.get('text'), str)), None),
        **{name: metadata.get(name) for name in ('operation_id', 'task_type', 'notification_id')},
    }
    return {
        'format': 'a2a',
        'idempotency_key': key if _is_key(key) else f'sha256-{hashlib.sha256(body).hexdigest()}',
        'status': state,
        'is_final': state in _FINAL,
        **{name: text for name, text in texts.items() if isinstance(text, str)},
        **({'result': results[0]} if results else {}),
        **({'context': metadata['context']} if 'context' in metadata else {}),
    }


def _is_key(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 255


def _in(entry: dict[str, Any], name: str) -> dict[str, Any]:
    return entry[name] if isinstance(entry.get(name), dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
