import { z } from 'zod';
import { countOf, p95Of } from '../../../platform/stats/counted.ts';
import type { CountedKind } from '../../../platform/stats/counted.ts';
import { formatMoney, MAX_MINOR } from '../../../platform/money.ts';
import { readStats, STAT_RANGES } from '../../../platform/stats/read-stats.ts';
import type { StatPoint } from '../../../platform/stats/read-stats.ts';
import { TERMINAL_STATES } from '../../../runtime/states.ts';
import { readTurnover } from '../../../sales/turnover/read-turnover.ts';
import type { DayOfTurnover } from '../../../sales/turnover/read-turnover.ts';
import { DeliveryState } from '../../../webhooks/delivery/delivery.ts';
import { operation } from '../operation.ts';

/** How deliveries end. */
export const DELIVERY_ENDS = DeliveryState.exclude(['pending']).options;

const Ended = z.int().min(0);

/** Within how many seconds 95 of 100 were done, as exactly as it is counted; absent where none was, or it took over a day. */
const Within = z.number().optional();

/** A step of time, and what ended in it. */
export const StatPointView = z.object({
  /** Its first instant. */
  at: z.string(),
  /** Tasks that reached an end, by it. */
  tasks: z.record(z.enum(TERMINAL_STATES), Ended),
  /** From the taking of a task to its end. */
  task_p95_seconds: Within,
  /** Webhooks whose delivery ended, by how. */
  deliveries: z.record(z.enum(DELIVERY_ENDS), Ended),
  /** From the recording of an event to its delivery. */
  delivery_p95_seconds: Within,
  /** The most jobs that waited in all queues at the end of a minute. */
  queued: Ended,
});
export type StatPointView = z.infer<typeof StatPointView>;

/** What was booked and delivered in one currency; amounts are decimals of it. */
export const TurnoverView = z.object({
  currency: z.string(),
  /** Over all these days, as far as they are summed. */
  booked: z.number(),
  delivered: z.number(),
  /** The last 30 of UTC, oldest first, the one under way among them. An amount is absent where the day has not been summed yet. */
  days: z.array(z.object({ day: z.string(), booked: z.number().optional(), delivered: z.number().optional() })),
});
export type TurnoverView = z.infer<typeof TurnoverView>;

/**
 * What processes wrote down each minute; what one counted in its last minute before it was killed is missing. Money is from the books, and is
 * summed by the day, whatever the range.
 */
export const showStats = operation({
  method: 'get',
  path: '/stats',
  summary: 'Show how many tasks and webhooks ended, how soon, what waited, and money by day.',
  role: 'viewer',
  query: z.strictObject({ range: z.enum(STAT_RANGES).default('hour') }),
  answer: z.object({
    range: z.enum(STAT_RANGES),
    step_seconds: z.int(),
    points: z.array(StatPointView),
    money: z.array(TurnoverView),
    /** Money has all that changed before; absent: nothing has been summed yet. */
    money_until: z.string().optional(),
  }),
  async handle({ query: { range } }, deps) {
    const [{ stepMs, points }, { currencies, summed_until }] = await Promise.all([
      readStats(deps, range),
      readTurnover(deps),
    ]);
    return {
      ...{ range, step_seconds: stepMs / 1000, points: points.map(pointView) },
      money: [...currencies].map(([currency, days]) => turnoverView(currency, days)),
      ...(summed_until !== null && { money_until: summed_until }),
    };
  },
});

function turnoverView(currency: string, days: readonly DayOfTurnover[]): TurnoverView {
  const total = (amounts: readonly (number | undefined)[]) =>
    formatMoney(
      amounts.reduce<number>((sum, amount = 0) => Math.min(MAX_MINOR, sum + amount), 0),
      currency,
    );
  return {
    currency,
    booked: total(days.map(({ booked_minor }) => booked_minor)),
    delivered: total(days.map(({ delivered_minor }) => delivered_minor)),
    days: days.map(({ day, booked_minor, delivered_minor }) => ({
      day,
      ...(booked_minor !== undefined && { booked: formatMoney(booked_minor, currency) }),
      ...(delivered_minor !== undefined && { delivered: formatMoney(delivered_minor, currency) }),
    })),
  };
}

function pointView(point: StatPoint): StatPointView {
  const ended = <S extends string>(what: CountedKind, states: readonly S[]) =>
    Object.fromEntries(states.map((state) => [state, countOf(point, what, state)])) as Record<S, number>;
  const [task, delivery] = [p95Of(point, 'tasks'), p95Of(point, 'deliveries')];
  return {
    at: point.at,
    tasks: ended('tasks', TERMINAL_STATES),
    ...(task !== undefined && { task_p95_seconds: task }),
    deliveries: ended('deliveries', DELIVERY_ENDS),
    ...(delivery !== undefined && { delivery_p95_seconds: delivery }),
    queued: point.queued,
  };
}
