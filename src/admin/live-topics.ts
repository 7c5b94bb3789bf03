/** What pages can be told of, and the collection whose rows it is; null: rung by whoever changes it. */
export const LIVE_TOPICS = {
  approvals: 'approvals',
  buys: 'media_buys',
  creatives: 'creatives',
  tasks: 'task_runs',
  deliveries: 'deliveries',
  ranges: 'resend_ranges',
  blocked_domains: 'blocked_domains',
  queues: null,
} as const satisfies Record<string, string | null>;

export type LiveTopic = keyof typeof LIVE_TOPICS;

/** A topic's rings come at most so often, in milliseconds: from each process that writes, and to each page. */
export const RING_EVERY_MS = 1_000;

/** What the change signal calls it. Pure. */
export function signalOf(topic: LiveTopic): string {
  return `console-${topic}`;
}

/** By collection, what the change signal calls it. */
export const RUNG_COLLECTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(LIVE_TOPICS).flatMap(([topic, name]) => (name === null ? [] : [[name, signalOf(topic as LiveTopic)]])),
);
