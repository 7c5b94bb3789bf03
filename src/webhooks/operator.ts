import { z } from 'zod';
import { allPages } from '../platform/store/all-rows.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Page } from '../platform/store/collection.ts';
import { LastAnswer, shownAnswer } from './answers/receiver-answer.ts';
import type { ReceiverAnswer } from './answers/receiver-answer.ts';
import type { LastAnswers } from './answers/last-answers.ts';
import type { GateState } from '../platform/redis/destination-gate.ts';
import type { OriginState } from '../platform/redis/target-gate.ts';
import { AppError } from '../platform/errors.ts';
import { shownUrl } from '../platform/outbound/shown-url.ts';
import { attemptNow } from './delivery/attempt-now.ts';
import type { AttemptAhead, AttemptNowDependencies } from './delivery/attempt-now.ts';
import { Attempt, Delivery, AttemptTimings } from './delivery/delivery.ts';
import { countMeant } from './delivery/count-range.ts';
import type { RangeCounted } from './delivery/count-range.ts';
import { deliveriesMeant } from './delivery/delivery-filter.ts';
import type { DeliveryFilter } from './delivery/delivery-filter.ts';
import { figuresOf, latestAnswer } from './delivery/destination-figures.ts';
import type { Answered, FiguresLookedAt } from './delivery/destination-figures.ts';
import type { PauseView } from './delivery/paused-destinations.ts';
import { requeueDeliveries } from './delivery/queue-deliveries.ts';
import { resend } from './delivery/resend.ts';
import type { ResendDependencies, Resent } from './delivery/resend.ts';
import { rangeWork } from './delivery/resend-ranges.ts';
import type { RangeKind, RangeRow, RangeWork } from './delivery/resend-ranges.ts';
import { sentBody } from './delivery/sent-body.ts';
import type { SentBody, SentBodyDependencies } from './delivery/sent-body.ts';
import type { WakeUps } from './delivery/wake-ups.ts';

/**
 * A delivery as an operator sees it: without body, secrets and what of its URL may be one, nor what only a newer release knows
 * of, which may be secret too.
 */
export const DeliveryView = z
  .object({
    ...Delivery.shape,
    attempts: z.array(
      z.object({ ...Attempt.shape, timings: z.object(AttemptTimings.shape).optional() }).omit({ signed: true }),
    ),
  })
  .omit({
    body: true,
    is_body_sealed: true,
    sealed_credentials: true,
    sealed_header_token: true,
    target: true,
    ...{ resent_in: true, resent_before: true },
  });
export type DeliveryView = z.infer<typeof DeliveryView>;

/** The same with what its receiver said when it last failed that buyer. */
export const DeliveryInFull = DeliveryView.extend({ receiver_answer: LastAnswer });
export type DeliveryInFull = z.infer<typeof DeliveryInFull>;

/** Deliveries that wait for one destination. */
export interface WaitingThere {
  count: number;
  /** The latest attempt of any of them. */
  last_attempt: Answered | undefined;
}

/** What an operator can do about webhooks. */
export interface WebhookOperator {
  /** Newest first, `limit` 1–100. */
  list(filter: DeliveryFilter, page: { limit: number; after?: string | undefined }): Promise<Page<DeliveryView>>;
  /** @throws {AppError} `NOT_FOUND`. */
  inspect(delivery_id: string): Promise<DeliveryInFull>;
  /** What is sent. @throws {AppError} `NOT_FOUND`. */
  body(delivery_id: string): Promise<SentBody>;
  /** See {@link attemptNow}. */
  attemptNow(delivery_id: string): Promise<AttemptAhead>;
  /** See {@link resend}. */
  resend(delivery_id: string): Promise<Resent>;
  /** What a range would be, counted no further than one more than `most`. */
  countRange(filter: DeliveryFilter, most: number): Promise<RangeCounted>;
  /** What is done with ranges that are sent again, wherever their rows stand. */
  ranges<R extends RangeRow>(kind: RangeKind<R>): RangeWork<R>;
  /** Nothing is sent there, by any process from 5 s on, until it is resumed; no attempt is spent. */
  pause(given: { destination: string; by: string; reason: string }): Promise<void>;
  /** Forgets its failures and sends what waits for it. Answers how many deliveries that is. */
  resume(destination: string): Promise<number>;
  paused(): Promise<PauseView[]>;
  /** What waits at each destination, of the 2,000 longest waiting deliveries. */
  waiting(): Promise<Map<string, WaitingThere>>;
  /** As a whole, and target by target; it is closed while all of its targets are. */
  destination(destination: string): Promise<GateState & OriginState & { is_paused: boolean }>;
  /** See {@link figuresOf}. */
  figures(destination: string, most?: number): Promise<FiguresLookedAt>;
  /** What receivers there said when they last failed, of each organization's, the newest first. */
  answers(destination: string): Promise<ReceiverAnswer[]>;
  /** How many deliveries are owed. Takes longer the more there are. */
  countPending(): Promise<number>;
  /** When the delivery was made that is owed longest; undefined when none is. */
  oldestPending(): Promise<string | undefined>;
}

export interface OperatorDependencies extends ResendDependencies, SentBodyDependencies, AttemptNowDependencies {
  wakeUps: WakeUps;
  answers: Pick<LastAnswers, 'last' | 'at'>;
}

export function createWebhookOperator(deps: OperatorDependencies): WebhookOperator {
  const { deliveries, gate, pauses, clock } = deps;

  /** All that fits, page by page, oldest first. */
  function matching(filter: DeliveryFilter): AsyncGenerator<Delivery[], void, undefined> {
    return allPages(deliveries, {
      where: deliveriesMeant(filter),
      sort: { field: 'created_at', direction: 'asc' },
      limit: 200,
    });
  }

  return {
    async list(filter, { limit, after }) {
      const { rows, cursor } = await deliveries.find({
        where: deliveriesMeant(filter),
        sort: { field: 'created_at', direction: 'desc' },
        limit,
        ...(after !== undefined && { after }),
      });
      return { rows: rows.map(viewOf), ...(cursor !== undefined && { cursor }) };
    },
    async inspect(delivery_id) {
      const row = await known(delivery_id);
      return { ...viewOf(row), receiver_answer: shownAnswer(await deps.answers.last(row)) };
    },
    body: async (delivery_id) => sentBody(deps, await known(delivery_id), shownUrl),
    attemptNow: (delivery_id) => attemptNow(deps, delivery_id),
    resend: (delivery_id) => resend(deps, delivery_id),
    countRange: (filter, most) => countMeant(deliveries, filter, most),
    ranges: (kind) => rangeWork(deps, kind),
    async pause(given) {
      await pauses.pause(given);
      deps.log.warn(given, 'destination paused');
    },
    async resume(destination) {
      await pauses.resume(destination);
      await gate.reset(destination);
      let count = 0;
      for await (const rows of matching({ destination, state: 'pending' })) {
        const due = await Promise.all(rows.map((row) => bringForward(row)));
        const woken = due.filter((row) => row !== undefined);
        // Before they are queued: one that still finds its target paused leaves a wake-up behind.
        await deps.wakeUps.forget(rows).catch(() => undefined);
        await requeueDeliveries(deps, woken);
        count += woken.length;
      }
      deps.log.warn({ destination, deliveries: count }, 'destination resumed');
      return count;
    },
    paused: () => pauses.list(),
    async waiting() {
      const found = new Map<string, WaitingThere>();
      let seen = 0;
      for await (const rows of matching({ state: 'pending' })) {
        for (const row of rows) {
          const { count, last_attempt } = found.get(row.destination) ?? { count: 0, last_attempt: undefined };
          found.set(row.destination, { count: count + 1, last_attempt: latestAnswer(last_attempt, row) });
        }
        seen += rows.length;
        if (seen >= MAX_WAITING) break;
      }
      return found;
    },
    async destination(destination) {
      const [state, is_paused] = await Promise.all([
        gate.stateOf(destination, clock.now()),
        pauses.isPaused(destination),
      ]);
      return { ...wholeOf(state), ...state, is_paused };
    },
    figures: (destination, most) => figuresOf(deps, destination, most),
    answers: (destination) => deps.answers.at(destination),
    countPending: () => deliveries.count({ state: 'pending' }),
    async oldestPending() {
      const { rows } = await deliveries.find({
        where: { state: 'pending' },
        sort: { field: 'created_at', direction: 'asc' },
        limit: 1,
      });
      return rows[0]?.created_at;
    },
  };

  async function known(delivery_id: string): Promise<Delivery> {
    const row = await deliveries.get(delivery_id);
    if (row === undefined) throw new AppError('NOT_FOUND', 'no delivery has this id', { field: 'delivery_id' });
    return row;
  }

  /** Makes the attempt that a row waits with due now, wherever its job waits. */
  async function bringForward(row: Delivery): Promise<Delivery | undefined> {
    const now = toTimestamp(clock.now());
    const outcome = await deliveries.update(row.delivery_id, (stored) =>
      stored.next_attempt_at === null ? undefined : { ...stored, next_attempt_at: now },
    );
    return outcome?.changed === true ? outcome.row : undefined;
  }
}

/** What holds an origin as a whole. */
function wholeOf({ targets }: OriginState): Pick<GateState, 'consecutive_failures' | 'closed_until'> {
  const opening = targets.map(({ closed_until }) => closed_until ?? 0);
  return {
    consecutive_failures: Math.max(0, ...targets.map(({ consecutive_failures }) => consecutive_failures)),
    closed_until: opening.length === 0 || opening.includes(0) ? undefined : Math.min(...opening),
  };
}

/** Waiting deliveries that are looked at for an overview. */
const MAX_WAITING = 2_000;

function viewOf(row: Delivery): DeliveryView {
  return { ...DeliveryView.parse(row), url: shownUrl(row.url) };
}
