import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { LastAnswers } from '../answers/last-answers.ts';
import type { AttemptResult } from './attempt.ts';
import type { DeliveryBatches } from './delivery-batches.ts';
import { countAttempt } from './count-attempt.ts';
import type { CountAttemptDependencies } from './count-attempt.ts';
import type { Delivery } from './delivery.ts';
import { gateTargetOf, targetKey } from './gate-target.ts';
import { lastAnswerOf } from './last-answer.ts';
import { queueDeliveries } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';
import { nextAttemptMs } from './retry-schedule.ts';
import type { TroubleWatch } from '../troubles/trouble-watch.ts';

export interface RecordAttemptDependencies extends QueueDeliveriesDependencies, CountAttemptDependencies {
  deliveries: Collection<Delivery>;
  batches: DeliveryBatches;
  /** 0 up to 1. */
  random(): number;
  /** The receiver answered 410: this registration ends, and what is pending for it (rule W6). */
  retireGone(delivery: Delivery): Promise<void>;
  answers: Pick<LastAnswers, 'note'>;
  /** Told of every attempt that was recorded. */
  troubleWatch: Pick<TroubleWatch, 'note'>;
}

/**
 * Records an attempt and decides the next one in one write, then does what follows from it.
 * @param write Of the row with the attempt; answers undefined when another writer was there first. Default: in place of the row it was made of.
 */
export async function recordAttempt(
  deps: RecordAttemptDependencies,
  row: Delivery,
  result: AttemptResult,
  write: (after: Delivery) => Promise<Delivery | undefined> = (after) => deps.batches.replace(after),
): Promise<void> {
  const after = afterAttempt(row, result, deps.clock.now(), deps.random());
  const stored = (await write(after)) ?? (await recordLate(deps, row, after));
  logAttempt(deps, after, result);
  countAttempt(deps, row, result.attempt, stored);
  if (stored !== undefined) deps.answers.note(stored, result);
  await deps.troubleWatch.note(row, result.attempt);
  if (stored?.state === 'gone') await deps.retireGone(stored);
  if (stored?.state === 'pending') await queueDeliveries(deps, [stored]);
}

/** The row with one more attempt and what follows from it. Pure. */
function afterAttempt(row: Delivery, result: AttemptResult, nowMs: number, random: number): Delivery {
  const attempts = [...row.attempts, result.attempt];
  const firstMs = fromTimestamp(attempts[0]?.started_at ?? toTimestamp(nowMs));
  const { verdict } = result.classification;
  const tried = { attempts: attempts.length, firstMs, nowMs, retryAfterMs: result.retryAfterMs, random };
  const nextMs = verdict === 'retry' ? nextAttemptMs(tried) : undefined;
  return {
    ...withAttempts(row, attempts),
    target: row.target ?? targetKey(gateTargetOf(row)),
    state: verdict !== 'retry' ? verdict : nextMs === undefined ? 'exhausted' : 'pending',
    next_attempt_at: nextMs === undefined ? null : toTimestamp(nextMs),
    updated_at: toTimestamp(nowMs),
  };
}

function withAttempts(
  { last_answer: _answer, has_failed: _failed, ...row }: Delivery,
  attempts: Delivery['attempts'],
): Delivery {
  return { ...row, attempts, ...lastAnswerOf(attempts) };
}

/** Ends a delivery whose time is over before its schedule is. */
export async function giveUp(deps: RecordAttemptDependencies, row: Delivery): Promise<void> {
  const { delivery_id, task_id } = row;
  await deps.deliveries.update(delivery_id, (stored) => {
    if (stored.attempts.length !== row.attempts.length || stored.state !== 'pending') return undefined;
    return { ...stored, state: 'exhausted', next_attempt_at: null, updated_at: toTimestamp(deps.clock.now()) };
  });
  deps.log.warn({ task_id, delivery_id, attempts: row.attempts.length }, 'webhook given up: its time is over');
}

/** Another writer changed the row meanwhile: the attempt is added all the same, unless it was recorded already. */
async function recordLate(
  deps: RecordAttemptDependencies,
  row: Delivery,
  after: Delivery,
): Promise<Delivery | undefined> {
  const outcome = await deps.deliveries.update(row.delivery_id, (stored) => {
    if (stored.attempts.length !== row.attempts.length) return undefined;
    const { attempts, state, next_attempt_at, updated_at } = after;
    const answered = withAttempts(stored, attempts);
    if (stored.state === 'pending') return { ...answered, state, next_attempt_at, updated_at };
    // It was on its way when its registration ended: what became of it counts, but there is no other after it.
    if (stored.state !== 'ended') return undefined;
    const isOver = state !== 'pending' && state !== 'exhausted';
    return { ...answered, state: isOver ? state : 'ended', updated_at };
  });
  return outcome?.changed === true ? outcome.row : undefined;
}

/** One line per attempt, without body, token, signature or query of the URL. */
function logAttempt(deps: RecordAttemptDependencies, row: Delivery, { attempt, classification }: AttemptResult): void {
  const { task_id, delivery_id, destination, event, state, next_attempt_at } = row;
  const { verdict: _verdict, ...outcome } = classification;
  const facts = {
    ...{ task_id, delivery_id, destination, event, attempt: attempt.attempt },
    ...outcome,
    ...{ state, next_attempt_at },
  };
  if (classification.signature_error !== undefined) {
    deps.log.error({ ...facts, kid: attempt.kid }, 'signing incident: the receiver refused our signature');
  } else if (classification.verdict === 'delivered') deps.log.info(facts, 'webhook delivered');
  else deps.log.warn(facts, 'webhook not delivered');
}
