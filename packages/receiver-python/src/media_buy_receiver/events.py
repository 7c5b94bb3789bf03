"""A webhook's content in one shape, whichever envelope it came in."""

from hashlib import sha256
from typing import Any, Mapping

from ._wire import instant_of, require, strict_json

Event = Mapping[str, Any]
"""`format` (`mcp`, `a2a`, `other`), `idempotency_key` and `is_final` always; `task_id`,
`operation_id`, `task_type`, `domain`, `status`, `timestamp`, `message`, `result`, `context`,
`context_id`, `notification_id` as far as they came."""

_FINAL = ('completed', 'failed', 'canceled', 'rejected')
_STATES = ('submitted', 'working', 'input-required', 'auth-required', *_FINAL)
_REPORTS = ('scheduled', 'final', 'delayed', 'adjusted')

# Where each field stands; of two places for one, the later counts.
_KEYS = ('idempotency_key', 'operation_id', 'task_type', 'notification_id', 'context')
_NAMES = (*_KEYS, 'task_id', 'domain', 'status', 'timestamp', 'message', 'result')
_MCP = {name: name for name in _NAMES}
_A2A = {
    **{'status.state': 'status', 'status.timestamp': 'timestamp', 'contextId': 'context_id'},
    **{'status.message.parts.text': 'message', 'status.message.parts.data': 'result'},
    **{'taskId': 'task_id', 'id': 'task_id'},
    **{f'metadata.{name}': name for name in _KEYS},
}


def read_event(body: bytes) -> tuple[Event, Any]:
    """The event of a verified body, and the JSON it was in. Raises Refused for what has none."""
    value = strict_json(body)
    require(isinstance(value, dict), 'body_not_an_object')
    entries = [value, *_walk(value, 'task', dict), *_walk(value, 'statusUpdate', dict)]
    a2a = [entry for entry in entries if _walk(entry, 'status.state', str)]
    entry, paths = (a2a[0], _A2A) if a2a else (value, _MCP)
    event: dict[str, Any] = {}
    for path, name in paths.items():
        found = _walk(entry, path, object if name in ('result', 'context') else str)
        event |= {name: each for each in found[:1]}
    key, status = event.get('idempotency_key', ''), event.get('status', '')
    if a2a and status.startswith('TASK_STATE_'):
        status = event['status'] = status[11:].lower().replace('_', '-')
    for artifact in _walk(entry, 'artifacts', dict)[:1] if a2a and status in _FINAL else []:
        event |= {'result': data for data in _walk(artifact, 'parts.data')[-1:]}
    if a2a and not 1 <= len(key) <= 255:
        key = f'sha256-{sha256(body).hexdigest()}'
    require(1 <= len(key) <= 255, 'idempotency_key_missing', 'there is none of 1 to 255 characters')
    is_task = bool(a2a) or {'status', 'task_id'} <= event.keys()
    require(not is_task or status in _STATES, 'status_unknown', f'{status!r} is none of a task')
    kind = 'a2a' if a2a else 'mcp' if is_task else 'other'
    event |= {'format': kind, 'idempotency_key': key, 'is_final': is_task and status in _FINAL}
    return event, value


def order_of(event: Event) -> tuple[str, float] | None:
    """What an event tells the state of, and of which instant (ms); None for one that stands alone.
    A final status comes after any other of the same millisecond."""
    instant, kinds = instant_of(event.get('timestamp')), _walk(event, 'result.notification_type')
    if instant is None or any(kind in _REPORTS for kind in kinds):
        return None
    at = instant + (0.5 if event['is_final'] else 0)
    if 'notification_id' in event:
        return f'notification {event["notification_id"]}', at
    is_task = event['format'] != 'other' and 'task_id' in event
    return (f'task {event["task_id"]}', at) if is_task else None


def _walk(value: Any, path: str, kind: type = object) -> list[Any]:
    """All of a kind that stands at a path. Parts and artifacts are lists: each of their members."""
    found = [value]
    for name in path.split('.'):
        found = [each[name] for each in found if isinstance(each, dict) and name in each]
        if name in ('parts', 'artifacts'):
            found = [each for some in found if isinstance(some, list) for each in some]
    return [each for each in found if isinstance(each, kind)]
