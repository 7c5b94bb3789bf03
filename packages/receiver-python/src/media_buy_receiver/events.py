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
    entries = _objects([value, _in(value, 'task'), _in(value, 'statusUpdate')])
    a2a = [entry for entry in entries if isinstance(_in(_in(entry, 'status'), 'state'), str)]
    event = _event_of_a2a(a2a[0], body) if a2a else _event_of_envelope(value)
    if event['format'] != 'other' and event.get('status') not in _STATES:
        raise Unreadable(f'{event.get("status")!r} is no status of a task')
    return event, value


def order_of(event: Event) -> tuple[str, float] | None:
    """What an event tells the state of, and of which instant (ms); None for one that stands alone."""
    instant, is_task = instant_of(event.get('timestamp')), event['format'] != 'other' and 'task_id' in event
    if instant is None or _in(event.get('result'), 'notification_type') in _REPORTS:
        return None
    # A final status comes after any other of the same millisecond.
    at = instant + (0.5 if event['is_final'] else 0)
    if 'notification_id' in event:
        return f'notification {event["notification_id"]}', at
    return (f'task {event["task_id"]}', at) if is_task else None


def _event_of_envelope(body: Any) -> Event:
    if not _is_key(key := _in(body, 'idempotency_key')):
        raise Unreadable('there is no JSON object with an idempotency_key of 1 to 255 characters')
    is_task = isinstance(body.get('status'), str) and isinstance(body.get('task_id'), str)
    known = {name: body[name] for name in _TEXTS if isinstance(body.get(name), str)}
    known |= {name: body[name] for name in ('result', 'context') if name in body}
    is_final = is_task and body['status'] in _FINAL
    return {'format': 'mcp' if is_task else 'other', 'idempotency_key': key, 'is_final': is_final, **known}


def _event_of_a2a(entry: dict[str, Any], body: bytes) -> Event:
    status, metadata = entry['status'], (_objects([entry.get('metadata')]) or [{}])[0]
    state = status['state']
    if state.startswith('TASK_STATE_'):
        state = state[11:].lower().replace('_', '-')
    parts = _objects(_in(status.get('message'), 'parts'))
    artifacts = _objects(entry.get('artifacts')) if state in _FINAL else []
    results = [part['data'] for part in _objects(artifacts[0].get('parts')) if 'data' in part] if artifacts else []
    results = results[-1:] or [part['data'] for part in parts if 'data' in part]
    key = metadata.get('idempotency_key')
    texts = {
        **{'status': state, 'timestamp': status.get('timestamp'), 'context_id': entry.get('contextId')},
        'task_id': entry.get('id', entry.get('taskId')),
        'message': next((part['text'] for part in parts if isinstance(part.get('text'), str)), None),
        **{name: metadata.get(name) for name in ('operation_id', 'task_type', 'notification_id')},
    }
    return {
        'format': 'a2a',
        'idempotency_key': key if _is_key(key) else f'sha256-{hashlib.sha256(body).hexdigest()}',
        'is_final': state in _FINAL,
        **{name: text for name, text in texts.items() if isinstance(text, str)},
        **({'result': results[0]} if results else {}),
        **({'context': metadata['context']} if 'context' in metadata else {}),
    }


def _is_key(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 255


def _in(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
