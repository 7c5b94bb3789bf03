import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const TASKS = 'Tasks';

export const TASK_RULES: readonly Requirement[] = [
  proved(
    'T1',
    TASKS,
    'A task is `submitted`, `working`, `input-required`, `auth-required`, or over: `completed`, `failed`, `canceled`, `rejected`. It may start in any of them; `submitted` may go to any other; `working` to either waiting state or any end but `rejected`; the two waiting states to `working`, `submitted` or any end. The first end that is written stands for good, whoever wrote it.',
  ),
  proved(
    'T1.no-return',
    TASKS,
    'Before its first effect outside, a task writes that it can no longer be called back. `CancelTask` before that ends it as `canceled` with nothing done, after that answers `NOT_CANCELLABLE` with the instant in `details.since`, and nothing changes. From then on no fault of the agent ends the task: it stays owed until its outcome is known; and no outage of an ad server ends any task. So `canceled` and `rejected` prove that nothing took effect, and so does `failed`, unless it says `details.effect: "unknown"`.',
  ),
  proved(
    'T1.fault-log',
    TASKS,
    "A task's row keeps its last five faults, oldest first: when, in which turn, what kind of thing was thrown, and the id by which the log has the rest. Nothing of its text is kept, since nobody knows what it says.",
  ),
  proved(
    'T1.given-up',
    TASKS,
    'An order that waits for the ad server is given up by a person alone. Its end is told; once that is confirmed, or nothing of the order is found there, the buy is `canceled` by the seller with the reason, and the task that waited fails with `SERVICE_UNAVAILABLE`. By force both happen at once, the task with `details.effect: "unknown"`, and the end goes on being told.',
  ),
  proved(
    'T1.less-first',
    TASKS,
    'An ad server that has not answered five calls in a row is only probed, and whatever is asked for meanwhile waits. Once it answers, pauses and ends are told before smaller budgets and paused packages, and those before all that spends more, by however many workers; what is asked for later, or is not decided there, holds nobody up.',
  ),
  proved(
    'T2',
    TASKS,
    '`get_*` and `list_*` tasks answer at once and never notify. `create_media_buy`, `update_media_buy` and `sync_creatives` are queued: first `submitted`, then `working`, then an end, which is told by webhook even to a caller who waits for it. What validation, authorization or a rule can refuse at once is refused at once, with no task id and no webhook.',
  ),
  proved(
    'T2.wait',
    TASKS,
    'Who asks to wait is answered when the task is over or waits for them; at once, with the state it has, when it waits for a person at the seller, or for an ad server that is away, whose answer is not known, or that has yet to decide; and after 20 seconds in any case. What waits a moment behind another change does not count as waiting for the ad server.',
  ),
  proved(
    'T3',
    TASKS,
    'A task that waits for the buyer is `input-required`. One that waits for a person at the seller stays `submitted` or `working` while its buy is `pending`. Results of `working` tell `percentage` (0 to 100), `current_step` and `total_steps`.',
  ),
  proved(
    'T4',
    TASKS,
    "A task can be polled until it is over by A2A's own method (`GetTask`, in 0.3 `tasks/get`) and by the tasks `get_task_status` and `list_tasks`.",
  ),
  proved(
    'T5',
    TASKS,
    'A caller sees the tasks, buys, creatives and webhook activity of its own organization. What belongs to another answers exactly as an id that never was.',
  ),
  proved(
    'T6',
    TASKS,
    'A message is known, per organization and client for 24 hours, by its id together with its content (RFC 8785 over parts, `taskId`, `contextId`). The same again is the same task; the same id with other content is a new message, never answered by the result of the first.',
  ),
  proved(
    'T7',
    TASKS,
    'Free text counts as a brief for `get_products` only when a written rule says that it reads like one. Any other text answers `input-required`, with the skills there are and an example.',
  ),
  proved(
    'T8',
    TASKS,
    'Tasks that only read do not show in lists, nor in their totals, unless `include_reads` asks for them, or the filter names their `task_type`, their ids or, over A2A, a context; `GetTask` finds them for an hour.',
  ),

  proved(
    'T5.total',
    TASKS,
    'Totals of lists of tasks and of creatives go to 1,000, which stands for so many or more; whether there is another page, the cursor alone says. No list costs more for what is not on its page.',
  ),

  proved(
    'C.states.tasks',
    TASKS,
    'The `result` of `completed` and `failed` is the whole response of the task, with its error when it failed; that of `working` may tell how far the work is; that of `input-required` says why it waits.',
  ),
  proved(
    'C.states.rules',
    TASKS,
    'A task whose first answer is an end notifies nobody, and nothing is sent in its stead: no id is made up and no inline result repeated. Only a first answer of `submitted` or `working` may be followed by webhooks.',
  ),
  proved(
    'C.tasks.get_products',
    TASKS,
    '`get_products` finds what is for sale by a `brief` in plain words, a `brand_manifest` (an object with `url`, or the manifest itself) and `filters` (`channels`, `budget_range`, `delivery_type`, `format_types`), all of which must hold, and answers `products` page by page, those that the brief leads to first, the best of them foremost; `total_matching` counts all pages.',
  ),
  proved(
    'C.tasks.create_media_buy',
    TASKS,
    '`create_media_buy` needs `buyer_ref`, `brand_manifest`, `packages`, `start_time` and `end_time`. A package names a product, one of its pricing options and a budget, and may bring creatives.',
  ),
  proved('C.tasks.auction', TASKS, 'A package of an auction names its `bid_price`; without one it is refused.'),
  proved(
    'C.tasks.update_media_buy',
    TASKS,
    '`update_media_buy` changes the buy named by `media_buy_id` as `updates` says: budgets, dates, state, targeting, packages.',
  ),
  proved(
    'C.tasks.sync_creatives',
    TASKS,
    "`sync_creatives` takes `creatives`, each with `creative_id`, `name`, `format_id` and `assets` by the format's keys (a video has `url`, `width`, `height`, `duration_ms`), and `assignments` of creatives to packages, or `assignment_operations`; either may come alone. `dry_run` only previews; `delete_missing` archives what was not sent.",
  ),
  proved(
    'C.tasks.lists',
    TASKS,
    "`list_authorized_properties` tells `publisher_domains`; `list_creative_formats` tells formats with their assets and measures, each named by `format_id` (`agent_url` of the agent that defines it, and `id`), filtered by `format_types`; `list_creatives` tells the caller's creatives by `filters` and `limit`, in the order of `sort`; what of them no index knows (tags, names, formats, whether one is assigned) is looked for within a bounded number of them a page, and a cursor goes on behind the last that was looked at.",
  ),
  proved(
    'C.tasks.delivery',
    TASKS,
    '`get_media_buy_delivery` tells, for a buy and a date range, totals in `delivery`, the same `by_package`, and a `timeseries` in steps of the `granularity` asked for.',
  ),
];
