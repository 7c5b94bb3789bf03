import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const WEBHOOKS = 'Webhooks';

export const WEBHOOK_RULES: readonly Requirement[] = [
  proved(
    'W1',
    WEBHOOKS,
    'A webhook has `idempotency_key` (UUID v4), `operation_id`, `task_id`, `task_type`, `domain` and `protocol` (both `media-buy`), `status`, `timestamp` (UTC, to the millisecond), `message` and `result`; `context` and `token` when they were given; `notification_id` only for events that tell a state. An event is one body: its bytes are frozen when it is recorded, and every attempt sends them.',
  ),
  proved('W1.again', WEBHOOKS, 'The bytes of an event are either stored or can be made again identically (rule W20).'),
  proved(
    'W2',
    WEBHOOKS,
    'A registration without `operation_id` is refused as `INVALID_REQUEST` at `push_notification_config.operation_id`.',
  ),
  proved(
    'W3',
    WEBHOOKS,
    'A registration with a task that is answered at once is refused as `INVALID_REQUEST`, and the message says that this task never notifies.',
  ),
  proved(
    'W3.configuration',
    WEBHOOKS,
    "A push config in A2A's `configuration`, which clients send with every request, is accepted and ignored by tasks that are answered at once; only one in the task's input is refused.",
  ),
  proved(
    'W4',
    WEBHOOKS,
    'An `authentication` block chooses a legacy mode, and then only that proof is sent: never two. Credentials under 32 characters, or of one character repeated, are refused; `Bearer` is refused for tasks that change something unless `ALLOW_LEGACY_BEARER` is set. Secrets are stored encrypted, and never logged, answered, or put into a hash that a caller can see.',
  ),
  proved(
    'W5',
    WEBHOOKS,
    "A registration by A2A's own mechanism (`configuration.pushNotificationConfig` in 0.3, `configuration.taskPushNotificationConfig` in 1.0, or its push-config methods) gets A2A bodies in the generation it was made in: a Task for an end, else a TaskStatusUpdateEvent; bare with `kind` in 0.3, under one key in 1.0. Its `token` goes in `X-A2A-Notification-Token`, and the content type is `application/json`. `push_notification_config` in the task's input gets the MCP-style envelope; with both, both are sent.",
  ),
  proved(
    'W6',
    WEBHOOKS,
    'A 2xx means delivered. 408, 425, 429, 5xx, timeouts and connection errors are tried again, and so is 401, which is recorded, disables nothing, and is shown to the operator when it says `Signature error="…"`. 410 ends the registration and what is pending for it. Any other 4xx and any 3xx end the delivery of that event and are recorded; redirects are never followed.',
  ),
  proved(
    'W6.ended',
    WEBHOOKS,
    'However a registration ends, what is pending for it ends with it, but for an attempt that is on its way.',
  ),
  proved(
    'W7',
    WEBHOOKS,
    'An event is tried 12 times within 24 hours: at once, then 5 s, 30 s, 2 min, 8 min, 20 min, 45 min, 1.5 h, 3 h, 5 h and 6 h after the attempt before, each wait up to 10 % longer by chance; and last, 23 h 45 min after the first, that wait up to 10 % shorter by chance. `Retry-After` prolongs a wait up to twice, and ends the schedule where it asks for later than the last attempt. No attempt under one key reaches beyond 24 hours after its first began; a resend by hand later is a new event with a new `idempotency_key`.',
  ),
  proved(
    'W7.ranges',
    WEBHOOKS,
    'Many webhooks are sent again as one range: each event once, whoever is killed or works on it besides, and none that another range has sent meanwhile. It counts what it has sent, no more and no less, and it ends: what fails three times by a fault of ours is given up, counted as `failed`, and named in the log.',
  ),
  proved(
    'W7.retry-after',
    WEBHOOKS,
    '`Retry-After` counts on 429 and 503 only, and only for that organization and target (rule W18).',
  ),
  proved(
    'W8',
    WEBHOOKS,
    "An attempt has 5 s to connect and 15 s in all; of the receiver's answer 16 KiB are read and the rest is dropped.",
  ),
  proved(
    'W8.answers',
    WEBHOOKS,
    'The first KiB of the last failed answer per organization and destination is kept for 7 days, without what is secret, for the operator and that buyer alone; `KEEP_RECEIVER_ANSWERS=false` refuses it.',
  ),
  proved(
    'W9',
    WEBHOOKS,
    'General impairments wait at most 5 minutes (60 s unless set) and tell the newest state once; `latency_sensitive` ones (fraud, brand safety) go at once. One told again keeps its `notification_id` and has a new `idempotency_key`. `get_agent_capabilities` tells the windows.',
  ),
  proved(
    'W10',
    WEBHOOKS,
    '`reporting_webhook` has `url`, `reporting_frequency` (`hourly`, `daily`, `monthly`), and may have `operation_id` (else `delivery_report_{media_buy_id}`), `requested_metrics` and `authentication`. Reports have the `task_type` `media_buy_delivery` and a `sequence_number` from 1 a buy, without gaps. Late data is told as `delayed`, then `scheduled` when it comes; a corrected period as `adjusted`; `final` comes once after the end of the buy and its queued impairments, and then nothing more.',
  ),
  proved(
    'W11',
    WEBHOOKS,
    "`webhook_activity` tells each attempt's status, and as `error_message` our own classification, never text of the receiver's; the URL stands there without its query.",
  ),
  proved(
    'W11.sealed',
    WEBHOOKS,
    "What stands behind `?` or `#` of a webhook's URL may be a secret: it is stored sealed, wherever the URL is, and shown to nobody, the buyer who registered it included. Queues, logs and what webhooks are told apart by do without it. Rows of 0.1.0 are read as they stand, and sealed with what is sealed anew.",
  ),
  proved(
    'W11.path',
    WEBHOOKS,
    "Of the path of a webhook's URL only its buyer sees what may be a secret: operators see its words, and `*` for whatever is none; logs name the origin alone.",
  ),
  proved(
    'W11.text',
    WEBHOOKS,
    'A message that names a webhook is kept and shown without its token, credentials and query, whether it is a request, the text of one, or words around one.',
  ),
  proved(
    'W15',
    WEBHOOKS,
    'A receiver claims an event by sender and `idempotency_key`, in one atomic step, before its handler runs, and remembers it for 24 hours or longer, and five minutes besides for clocks that differ. A copy gets 2xx and the first one wins; a handler that throws gives the claim back and 5xx has the event sent again; an older `timestamp` of the same task is answered 200 and ignored.',
  ),
  proved(
    'W16',
    WEBHOOKS,
    "Every request to a URL of somebody else's (webhooks, probes, key sets, brand.json, adagents.json) goes over https, or over http to loopback when `ALLOW_LOOPBACK` is set; a webhook over http is refused as it is registered unless its host is written as this machine's. Each address is checked as it is dialed, and refused when it is loopback, private, link-local, carrier-grade NAT, multicast, reserved, for documentation, a cloud's metadata address, or an IPv6 form of one of these. No userinfo, no redirects of a POST, bounded size and time.",
  ),
  proved(
    'W16.ports',
    WEBHOOKS,
    'Only ports 443 and 8443 are dialed, but for loopback where that is allowed, unless the operator allows others (`OUTBOUND_ALLOW`), who may also allow subnets. A URL of another host at a port that `fetch` blocks (22, 25, 6000 and others of its list) is refused as it is registered wherever the operator has not named that port, where loopback is allowed, too; an agent at one is not registered.',
  ),
  proved(
    'W16.proxy',
    WEBHOOKS,
    'Https to public addresses goes through the proxy that the operator sets (`OUTBOUND_PROXY`), asked by CONNECT for an address that was checked, or for the name where only the proxy can look it up (`OUTBOUND_PROXY_RESOLVES`). Loopback and networks that the operator named are dialed directly. That the proxy fails is told as that, in the activity too, and closes no target; its credential stands in no log, answer or error.',
  ),
  proved(
    'W17',
    WEBHOOKS,
    'The first attempt of an event waits, at most 2 s while its target is open, for the first answer to the event before it of the same task and registration.',
  ),
  proved(
    'W18',
    WEBHOOKS,
    'Breaker, caps, rates and `Retry-After` count per organization and target, which is an origin and a path whose segments that look like ids read as `*`: at most 64 targets an organization and origin, the rest share one. An origin has a wide cap of its own; one that never answered 2xx gets one request a second from the whole installation. A test event may be the one that tries a target whose breaker is open.',
  ),
  proved(
    'W19',
    WEBHOOKS,
    '`context`, up to 32 KiB, comes back as it was written, in its numbers, strings and order of keys, without white space between tokens. A key that stands twice is refused with its path.',
  ),
  proved(
    'W20',
    WEBHOOKS,
    "Key and bytes of a task's event can be made again after any crash: the key is an HMAC under a random seed in the run's row, the bytes come from what the event's own write stored and nothing later. An event carries the `format` that built it, and that builder stays for 30 days. Reports and impairments keep stored bodies, and rows of 0.1.0 their keys.",
  ),

  proved(
    'C.resources.push-config',
    WEBHOOKS,
    'A push config has a `url`, which is not interpreted, an `operation_id` chosen by the buyer, unique per call, and may have the legacy `authentication` with `schemes` (`HMAC-SHA256` or `Bearer`) and `credentials`.',
  ),
  proved(
    'C.resources.envelope',
    WEBHOOKS,
    "What a task or report has to say stands in `result`, never beside it; `idempotency_key` is one per event, the same on all its attempts; the request's `context` comes back when there was one. The result of a delivery report has `notification_type`, `sequence_number`, `reporting_period`, `currency` and `media_buy_deliveries`, and no `aggregated_totals`.",
  ),
  proved(
    'C.delivery',
    WEBHOOKS,
    'A webhook is a POST of `application/json` to the registered URL, and any 2xx accepts it.',
  ),
  proved(
    'C.events.1',
    WEBHOOKS,
    "Where a webhook was registered decides its envelope: MCP-style for `push_notification_config` in the input, A2A's for A2A's own mechanism. A task may have both, and then both are sent.",
  ),
  proved(
    'C.events.2',
    WEBHOOKS,
    'Every webhook echoes `operation_id`, and `context` when there was one, exactly as given; neither is ever derived from the URL.',
  ),
  proved('C.events.3', WEBHOOKS, 'A registration without `operation_id` is refused with `INVALID_REQUEST`.'),
  proved(
    'C.events.4',
    WEBHOOKS,
    'Events are delivered at least once and in no promised order. A receiver knows an event by authenticated sender and `idempotency_key`, over all its endpoints and for at least 24 hours; copies get 2xx, the first wins, and an older state is ignored with 200. A `notification_id` under another key is the same state told again.',
  ),
  proved(
    'C.events.5',
    WEBHOOKS,
    'A body whose `status` is a string beside a `task_id` is MCP-style and has its content in `result`; one whose `status` is an object with `state` is A2A, with its content in the last data part of the first artifact when the state is final, else in the first data part of the status message.',
  ),
  proved(
    'C.events.6',
    WEBHOOKS,
    'Impairments of one buy are gathered: general ones for 5 minutes at most, fraud and brand safety for less than one or not at all. Declared windows may be shorter. Delivery reports are never gathered.',
  ),
  proved(
    'C.events.7',
    WEBHOOKS,
    'What a buyer missed is read from the present state: impairments by `get_media_buys`, reports by `get_media_buy_delivery` in a granularity that `get_agent_capabilities` declares. `webhook_activity` lists the attempts for the caller, with `idempotency_key`, `status` (`success`, `failed`, `timeout`, `connection_error`, `pending`), `http_status_code`, `attempt` and `error_message`.',
  ),
  proved(
    'C.events.8',
    WEBHOOKS,
    '`update_media_buy` may change `push_notification_config` and `reporting_webhook`; events from the acknowledgement on go to the new URL.',
  ),
  proved('C.events.9', WEBHOOKS, 'A 401 of a receiver is tried again and recorded, and disables nothing.'),
  proved(
    'C.events.10',
    WEBHOOKS,
    'A buyer can follow a task by polling alone until it is over, with or without webhooks.',
  ),
  proved(
    'C.operational-events',
    WEBHOOKS,
    "The operator is told by a log line, a counter and, at `OPERATOR_WEBHOOK_URL`, a signed webhook when an organization's receiver has taken nothing for an hour, when it takes webhooks again, and when it says that our signature is wrong: each once an episode over all processes and kills, and never of the operator's own receiver.",
  ),
  proved(
    'C.metrics',
    WEBHOOKS,
    'Servers and workers show what they measure at `/metrics` of `METRICS_PORT`, an address of their own that is this machine alone unless set, as Prometheus text with the prefix `mba_`. No label is an organization, a URL or an id, and no metric has more than 500 sets of labels.',
  ),
  proved('C.limits.dedup', WEBHOOKS, 'A receiver remembers the events it has taken for at least 24 hours.'),
];
