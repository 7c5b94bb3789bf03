import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { TargetGate } from '../../platform/redis/target-gate.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { AdmissionDependencies } from './admission.ts';
import { owedAttempt } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import { gateTargetOf } from './gate-target.ts';
import type { Pauses } from './paused-destinations.ts';
import { requeueDeliveries } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';

export interface AttemptNowDependencies extends QueueDeliveriesDependencies {
  deliveries: Collection<Delivery>;
  gate: TargetGate;
  pauses: Pauses;
  suspensions?: AdmissionDependencies['suspensions'];
}

/** The attempt that is made now. */
export const AttemptAhead = z.object({
  delivery_id: z.string(),
  attempt: z.int().describe('Which one of this webhook it is, the first being 1'),
  next_attempt_at: z.string(),
});
export type AttemptAhead = z.infer<typeof AttemptAhead>;

/**
 * Brings the next attempt of a pending delivery forward to now: the same bytes under the same key, and one attempt of those that it
 * has. One that is due already stays as it is, whoever has it in hand; so does the first, which waits for no time: where it is not due
 * it is on its way. Repeatable: until that attempt is made, it is the same one.
 * @throws {AppError} `NOT_FOUND`; `INVALID_STATE` for one that is over, and where nothing would go now, with what holds it back.
 */
export async function attemptNow(deps: AttemptNowDependencies, delivery_id: string): Promise<AttemptAhead> {
  const row = await deps.deliveries.get(delivery_id);
  if (row === undefined) throw new AppError('NOT_FOUND', 'no delivery has this id', { field: 'delivery_id' });
  if (row.state === 'pending') await assertGoes(deps, row);
  const now = toTimestamp(deps.clock.now());
  const outcome = await deps.deliveries.update(delivery_id, (stored) => {
    const { next_attempt_at, attempts } = stored;
    if (next_attempt_at === null || next_attempt_at <= now || attempts.length === 0) return undefined;
    return { ...stored, next_attempt_at: now };
  });
  const owed = outcome?.row ?? row;
  const { state, next_attempt_at } = owed;
  if (next_attempt_at === null)
    throw refusal(`the webhook is ${state}: no attempt of it is left to be made`, {
      suggestion: state === 'ended' ? 'its registration has ended, so nothing is sent there any more' : 'send it again',
    });
  if (next_attempt_at <= now) await requeueDeliveries(deps, [owed]);
  return { delivery_id, attempt: owedAttempt(owed), next_attempt_at };
}

/** @throws {AppError} `INVALID_STATE` while nothing is sent to where a row goes. */
async function assertGoes({ pauses, suspensions, gate, clock }: AttemptNowDependencies, row: Delivery): Promise<void> {
  const paused = (await pauses.list()).find(({ destination }) => destination === row.destination);
  if (paused !== undefined)
    throw refusal(`this receiver is paused (${paused.reason}), so nothing is sent there: resume it first`);
  if ((await suspensions?.areWebhooksStopped(row.organization_id)) === true)
    throw refusal('its buyer is suspended and their webhooks wait, so nothing is sent there: restore the buyer first');
  const target = gateTargetOf(row);
  const ofBuyer = (await gate.stateOf(target.origin, clock.now())).targets.filter(
    ({ organization_id }) => organization_id === target.organization_id,
  );
  const held = ofBuyer.find(({ path }) => path === target.path) ?? ofBuyer.find(({ path }) => path === undefined);
  if (held?.closed_until !== undefined)
    throw refusal(
      `nothing is sent there until ${toTimestamp(held.closed_until)}: the receiver failed ${held.consecutive_failures} times in a row, or asked to be left alone for so long`,
      { suggestion: 'wait until then, or resume the receiver, which forgets that and sends all that waits for it' },
    );
}

function refusal(message: string, more: { suggestion?: string } = {}): AppError {
  return new AppError('INVALID_STATE', message, { field: 'delivery_id', ...more });
}
