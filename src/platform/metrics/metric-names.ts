/** One metric: what it measures, for people, and its labels, whose values are few whatever the installation grows to. */
interface Metric<T extends 'counter' | 'histogram' | 'gauge', L extends string> {
  type: T;
  help: string;
  labels: readonly L[];
  /** Upper bounds of a histogram's buckets, in the unit of its name. */
  buckets?: readonly number[];
}

const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const LONG = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600, 21_600, 86_400];

function counter<const L extends string = never>(help: string, ...labels: L[]): Metric<'counter', L> {
  return { type: 'counter', help, labels };
}

function gauge<const L extends string = never>(help: string, ...labels: L[]): Metric<'gauge', L> {
  return { type: 'gauge', help, labels };
}

function histogram<const L extends string = never>(
  help: string,
  buckets: readonly number[],
  ...labels: L[]
): Metric<'histogram', L> {
  return { type: 'histogram', help, labels, buckets };
}

/** Every metric there is, without the prefix that all of them have. No label is ever an organization, a URL or an id. */
export const METRIC_NAMES = {
  http_requests_total: counter('HTTP requests answered', 'edge', 'route', 'status'),
  http_request_duration_seconds: histogram('From a request to the end of its answer', SHORT, 'edge', 'route'),
  a2a_calls_total: counter('Messages sent to the agent over A2A', 'skill', 'wire', 'outcome'),
  mcp_calls_total: counter('Tools called over MCP', 'tool', 'outcome'),
  rate_limited_total: counter('Requests refused for their number', 'edge'),
  budget_size: gauge('What there is of a budget, in its unit', 'budget'),
  budget_refused_total: counter('Refused for a budget that is used up', 'budget'),
  auth_failures_total: counter('Requests refused for their credential', 'edge', 'reason'),
  security_events_total: counter('Decisions about access', 'kind', 'outcome'),

  tasks_submitted_total: counter('Tasks taken', 'task_type'),
  tasks_finished_total: counter('Tasks that reached an end', 'task_type', 'state'),
  task_duration_seconds: histogram('From the taking of a task to its end', LONG, 'task_type'),
  task_faults_total: counter('Turns that ended in a fault', 'task_type'),
  owed: gauge('What is owed and due, over the whole installation, counted to 100,000', 'kind'),
  oldest_owed_seconds: gauge('Since when what is owed longest is due, over the whole installation', 'kind'),
  reconciler_rebuilt_total: counter('What the reconciler queued again', 'kind'),
  redis_flushes_total: counter('Losses of memory of Redis'),
  queue_jobs: gauge('Jobs of a queue', 'queue', 'state'),
  queue_oldest_seconds: gauge('Age of the oldest of the hundred jobs that come next', 'queue'),
  queue_paused: gauge('1 while a queue is paused', 'queue'),
  worker_slots: gauge('Places of this process for jobs at work, and those that are taken', 'queue', 'kind'),

  webhook_attempts_total: counter('Attempts to deliver a webhook', 'mode', 'outcome'),
  webhook_phase_seconds: histogram('Time an attempt spent in a phase', SHORT, 'phase'),
  webhook_event_to_delivered_seconds: histogram('From the recording of an event to its delivery', LONG),
  webhook_deliveries_total: counter('Deliveries that ended', 'state'),
  webhook_pending: gauge('Deliveries that are owed, over the whole installation'),
  webhook_oldest_pending_seconds: gauge('Age of the delivery that is owed longest, over the whole installation'),
  webhook_destinations: gauge('Receivers that fail or are paused, over the whole installation', 'state'),
  webhook_tests_total: counter('Test events that buyers had sent', 'mode', 'outcome'),
  operational_events_total: counter('What the operator was told of receivers', 'event'),

  approvals_open: gauge('Approvals that wait for a person, over the whole installation'),
  approval_oldest_seconds: gauge('Age of the approval that waits longest, over the whole installation'),
  media_buys: gauge('Media buys, over the whole installation, counted to 100,000', 'status'),
  booked_total: counter(
    'Budgets booked and raises of them, in units of the currency; cuts are not taken off',
    'currency',
  ),
  delivered_total: counter(
    'Spend delivered, in units of the currency; corrections downwards are not taken off',
    'currency',
  ),
  reports_late: gauge('Media buys whose report webhook is a quarter of an hour late, over the whole installation'),
  ad_server_calls_total: counter('Calls to the ad server', 'op', 'outcome'),
  ad_server_duration_seconds: histogram('Time a call to the ad server took', SHORT, 'op'),

  signing_key_age_seconds: gauge('Age of the key that signs', 'use'),
  operator_actions_total: counter('What operators did', 'action', 'outcome'),
  console_streams: gauge('Open streams of consoles'),
  store_operation_seconds: histogram('Time a call to the store took', SHORT, 'collection', 'op'),
  up: gauge('1 while a part answers', 'part'),
  event_loop_lag_seconds: gauge('How late the event loop of this process was, 99th percentile since the last look'),
  event_loop_stall_seconds: gauge('The longest that the event loop of this process was held up since the last look'),
  backup_age_seconds: gauge('Age of the last backup'),
  build_info: gauge('1; the labels say what runs', 'version', 'node'),
} as const satisfies Record<string, Metric<'counter' | 'histogram' | 'gauge', string>>;

export type MetricName = keyof typeof METRIC_NAMES;

type NamesOf<T> = { [N in MetricName]: (typeof METRIC_NAMES)[N]['type'] extends T ? N : never }[MetricName];
export type CounterName = NamesOf<'counter'>;
export type HistogramName = NamesOf<'histogram'>;
export type GaugeName = NamesOf<'gauge'>;

/** A value for each label of a metric. */
export type LabelsOf<N extends MetricName> = Readonly<Record<(typeof METRIC_NAMES)[N]['labels'][number], string>>;
