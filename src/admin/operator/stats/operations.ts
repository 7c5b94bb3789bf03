import { z } from 'zod';
import { countOf, p95Of } from '../../../platform/stats/counted.ts';
import type { CountedKind } from '../../../platform/stats/counted.ts';
import { readStats, STAT_RANGES } from '../../../platform/stats/read-stats.ts';
import type { StatPoint } from '../../../platform/stats/read-stats.ts';
import { TERMINAL_STATES } from '../../../runtime/states.ts';
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

/** What processes wrote down each minute; what one counted in its last minute before it was killed is missing. */
export const showStats = operation({
  method: 'get',
  path: '/stats',
  summary: 'Show how many tasks and webhooks ended, how, how soon, and what waited.',
  role: 'viewer',
  query: z.strictObject({ range: z.enum(STAT_RANGES).default('hour') }),
  answer: z.object({ range: z.enum(STAT_RANGES), step_seconds: z.int(), points: z.array(StatPointView) }),
  async handle({ query: { range } }, deps) {
    const { stepMs, points } = await readStats(deps, range);
    return { range, step_seconds: stepMs / 1000, points: points.map(pointView) };
  },
});

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
