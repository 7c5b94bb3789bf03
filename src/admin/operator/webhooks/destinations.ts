import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import { wordsOfPath } from '../../../platform/outbound/shown-url.ts';
import { ShownAnswer } from '../../../webhooks/answers/receiver-answer.ts';
import { DestinationFigures } from '../../../webhooks/delivery/destination-figures.ts';
import { Destination } from '../../../webhooks/delivery/filter-fields.ts';
import { namesOf, Whose, whose } from '../buys/buy-view.ts';
import { Words } from '../fields.ts';
import type { WaitingThere } from '../../../webhooks/operator.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';

/** What keeps webhooks of one organization from one kind of path there. */
const TargetView = z.object({
  ...Whose.shape,
  /** With `*` in place of what looks like an id; null: what this organization's other targets there share. */
  path: z.string().nullable(),
  in_flight: z.int(),
  consecutive_failures: z.int(),
  closed_until: z.string().nullable(),
});

/** One receiver's address, with what keeps webhooks from it. */
export const DestinationView = z.object({
  /** Scheme, host and port. */
  destination: z.string(),
  is_paused: z.boolean(),
  paused_at: z.string().nullable(),
  paused_by: z.string().nullable(),
  reason: z.string().nullable(),
  in_flight: z.int(),
  /** Of the target that fails most. */
  consecutive_failures: z.int(),
  /** Until when nothing is sent, because every target failed or asked for a pause; null when something may go. */
  closed_until: z.string().nullable(),
  /** Of the 2,000 longest waiting deliveries. */
  waiting: z.int(),
  /** It has accepted a webhook; one that has not gets one a second. */
  is_known: z.boolean(),
  /** The 20 that fail most, of those used within a day. */
  targets: z.array(TargetView),
});
export type DestinationView = z.infer<typeof DestinationView>;

/** The same with what became of its webhooks of late, which is read row by row, and what it said when it last failed each buyer. */
const DestinationInFull = DestinationView.extend({
  last_24_hours: DestinationFigures,
  receiver_answers: z
    .array(z.object({ ...Whose.shape, ...ShownAnswer.shape }))
    .describe('The last that was no 2xx, buyer by buyer, of 7 days: the newest 20'),
});
export type DestinationInFull = z.infer<typeof DestinationInFull>;

const DestinationPath = z.strictObject({ destination: Destination });

export const showDestination = operation({
  method: 'get',
  path: '/webhooks/destinations/:destination',
  summary:
    'Show one receiver with what waits for it, how it did in the last 24 hours, and what it said when it failed.',
  role: 'viewer',
  params: DestinationPath,
  answer: DestinationInFull,
  async handle({ params: { destination } }, deps) {
    const { operator } = deps.webhooks;
    const [waiting, last_24_hours, receiver_answers] = await Promise.all([
      operator.waiting(),
      operator.figures(destination),
      answersAt(deps, destination),
    ]);
    return { ...(await destinationView(deps, destination, waiting)), last_24_hours, receiver_answers };
  },
});

/** Holds everything back from there until it is resumed; no attempt is spent. */
export const pauseDestination = operation({
  method: 'post',
  path: '/webhooks/destinations/:destination/pause',
  summary: 'Hold everything back from a receiver; no attempt is spent.',
  role: 'operator',
  action: 'webhooks.pause',
  done: ({ destination }) => `Webhooks to ${destination} are paused.`,
  undo: 'webhooks.resume',
  params: DestinationPath,
  body: z.strictObject({ reason: Words }),
  answer: DestinationView,
  async handle({ params: { destination }, body: { reason } }, deps) {
    await deps.webhooks.operator.pause({ destination, reason, by: deps.by });
    return destinationView(deps, destination);
  },
});

/** Sends what waits, at once, and forgets the failures there were. */
export const resumeDestination = operation({
  method: 'post',
  path: '/webhooks/destinations/:destination/resume',
  summary: 'Send to a receiver again, at once what waits.',
  role: 'operator',
  action: 'webhooks.resume',
  done: ({ destination }) => `Webhooks to ${destination} are sent again.`,
  params: DestinationPath,
  /** `brought_forward`: how many waited and are sent now. */
  answer: DestinationView.extend({ brought_forward: z.int() }),
  async handle({ params: { destination } }, deps) {
    const brought_forward = await deps.webhooks.operator.resume(destination);
    return { ...(await destinationView(deps, destination)), brought_forward };
  },
});

async function answersAt(
  { webhooks, store }: OperatorDeps,
  destination: string,
): Promise<DestinationInFull['receiver_answers']> {
  const rows = await webhooks.operator.answers(destination);
  const names = await namesOf(
    store,
    rows.map(({ organization_id }) => organization_id),
  );
  return rows.map((row) => ({ ...whose(row.organization_id, names), ...ShownAnswer.parse(row) }));
}

const MAX_TARGETS = 20;

/** One of them as it stands. */
export async function destinationView(
  { webhooks, store }: OperatorDeps,
  destination: string,
  waiting?: ReadonlyMap<string, WaitingThere>,
): Promise<DestinationView> {
  const [state, paused] = await Promise.all([webhooks.operator.destination(destination), webhooks.operator.paused()]);
  const targets = state.targets.slice(0, MAX_TARGETS);
  const names = await namesOf(
    store,
    targets.map(({ organization_id }) => organization_id),
  );
  const row = paused.find((candidate) => candidate.destination === destination);
  return {
    destination,
    is_paused: row !== undefined,
    paused_at: row?.paused_at ?? null,
    paused_by: row?.paused_by ?? null,
    reason: row?.reason ?? null,
    in_flight: state.in_flight,
    consecutive_failures: state.consecutive_failures,
    closed_until: state.closed_until === undefined ? null : toTimestamp(state.closed_until),
    waiting: waiting?.get(destination)?.count ?? 0,
    is_known: state.is_known,
    targets: targets.map(({ path = null, closed_until, ...target }) => ({
      ...target,
      ...whose(target.organization_id, names),
      path: path === null ? null : wordsOfPath(path),
      closed_until: closed_until === undefined ? null : toTimestamp(closed_until),
    })),
  };
}
