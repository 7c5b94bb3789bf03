import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import { Words } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { Destination } from './destination.ts';

/** One receiver's address, with what keeps webhooks from it. */
export interface DestinationView {
  /** Scheme, host and port. */
  destination: string;
  is_paused: boolean;
  paused_at: string | null;
  paused_by: string | null;
  reason: string | null;
  in_flight: number;
  consecutive_failures: number;
  /** Until when nothing is sent, because it failed or asked for a pause; null when nothing holds it. */
  closed_until: string | null;
  /** Of the 2,000 longest waiting deliveries. */
  waiting: number;
}

/** The destinations that are paused, or have deliveries waiting; the most waiting first. */
export const listDestinations = operation({
  method: 'get',
  path: '/webhooks/destinations',
  async handle(_input, deps) {
    const { operator } = deps.webhooks;
    const [paused, waiting] = await Promise.all([operator.paused(), operator.waiting()]);
    const all = new Set([...paused.map(({ destination }) => destination), ...waiting.keys()]);
    const views = await Promise.all([...all].map((destination) => viewOf(deps, destination, waiting)));
    return { destinations: views.sort((a, b) => b.waiting - a.waiting) };
  },
});

const DestinationPath = z.strictObject({ destination: Destination });

export const showDestination = operation({
  method: 'get',
  path: '/webhooks/destinations/:destination',
  params: DestinationPath,
  async handle({ params }, deps) {
    return { ...(await viewOf(deps, params.destination, await deps.webhooks.operator.waiting())) };
  },
});

/** Holds everything back from there until it is resumed; no attempt is spent. */
export const pauseDestination = operation({
  method: 'post',
  path: '/webhooks/destinations/:destination/pause',
  action: 'webhooks.pause',
  params: DestinationPath,
  body: z.strictObject({ reason: Words }),
  async handle({ params: { destination }, body: { reason } }, deps) {
    await deps.webhooks.operator.pause({ destination, reason, by: deps.by });
    return { ...(await viewOf(deps, destination)) };
  },
});

/** Sends what waits, at once, and forgets the failures there were. */
export const resumeDestination = operation({
  method: 'post',
  path: '/webhooks/destinations/:destination/resume',
  action: 'webhooks.resume',
  params: DestinationPath,
  async handle({ params: { destination } }, deps) {
    const brought_forward = await deps.webhooks.operator.resume(destination);
    return { ...(await viewOf(deps, destination)), brought_forward };
  },
});

async function viewOf(
  { webhooks }: OperatorDeps,
  destination: string,
  waiting?: ReadonlyMap<string, number>,
): Promise<DestinationView> {
  const [state, paused] = await Promise.all([webhooks.operator.destination(destination), webhooks.operator.paused()]);
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
    waiting: waiting?.get(destination) ?? 0,
  };
}
