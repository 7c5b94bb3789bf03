import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { Collection } from '../platform/collection.ts';
import type { OutboundResult } from '../platform/outbound/outbound-result.ts';
import type { Outbound } from '../platform/outbound/outbound-client.ts';
import type { JobOutcome } from '../platform/queue.ts';
import { attemptHeaders } from './attempt-headers.ts';
import type { AttemptHeadersDependencies } from './attempt-headers.ts';
import { classify } from './classify.ts';
import type { Classification } from './classify.ts';
import { owedAttempt } from './delivery.ts';
import type { Attempt, Delivery, DeliveryJob } from './delivery.ts';
import { queueDeliveries } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';
import { isWithinHorizon, nextAttemptMs, retryAfterMs } from './retry-schedule.ts';
import { sealedFor } from './webhook-target.ts';
import { wireUrl } from './wire-url.ts';

export interface DeliverDependencies extends AttemptHeadersDependencies, QueueDeliveriesDependencies {
  deliveries: Collection<Delivery>;
  outbound: Pick<Outbound, 'send'>;
  /** 0 up to 1. */
  random(): number;
  /** Default: those of the outbound client (decisions W8). */
  timeouts?: { connectTimeoutMs: number; totalTimeoutMs: number };
  /** The receiver answered 410: nothing more goes to this registration (decisions W6). */
  endRegistration(delivery: Delivery): Promise<void>;
}

/** A job that comes this early, by clocks that differ, is done all the same, in milliseconds. */
const EARLY_MS = 250;

/**
 * Makes one attempt, if this job is the one the row owes. Killed anywhere, the row still owes it: the same bytes go
 * again under the same key. An attempt is recorded, and the next one decided, in one write.
 * @throws the signal's reason when the process must stop in mid-attempt: nothing is recorded, the job is handed back.
 */
export async function deliver(deps: DeliverDependencies, job: DeliveryJob, signal: AbortSignal): Promise<JobOutcome> {
  const row = await deps.deliveries.get(job.delivery_id);
  if (row?.next_attempt_at == null || owedAttempt(row) !== job.attempt) return undefined;
  const earlyMs = fromTimestamp(row.next_attempt_at) - deps.clock.now();
  if (earlyMs > EARLY_MS) return { parkMs: earlyMs };
  if (isTooLate(row, deps.clock.now())) return giveUp(deps, row);
  signal.throwIfAborted();
  const made = await attempt(deps, row, signal);
  await conclude(deps, row, made);
  return undefined;
}

interface Made {
  attempt: Attempt;
  classification: Classification;
  retryAfterMs: number | undefined;
}

async function attempt(deps: DeliverDependencies, row: Delivery, signal: AbortSignal): Promise<Made> {
  const startedMs = deps.clock.now();
  const text = row.is_body_sealed ? deps.sealer.open(row.body, sealedFor(row.url)) : row.body;
  const request = { url: wireUrl(row.url), body: Buffer.from(text) };
  const { headers, kid } = await attemptHeaders(deps, row, request);
  const result = await deps.outbound.send({ ...request, ...deps.timeouts, method: 'POST', headers, signal });
  const classification = classify(result);
  const { verdict: _verdict, ...outcome } = classification;
  return {
    classification,
    retryAfterMs:
      result.kind === 'response' ? retryAfterMs(result.headers['retry-after'], deps.clock.now()) : undefined,
    attempt: {
      attempt: owedAttempt(row),
      started_at: toTimestamp(startedMs),
      ...outcome,
      ...(kid !== undefined && { kid }),
      ...progressOf(result),
    },
  };
}

function progressOf(result: OutboundResult): Pick<Attempt, 'address' | 'timings'> {
  if (result.kind === 'refused') return {};
  const { address, timings } = result;
  return { ...(address !== undefined && { address }), timings };
}

async function conclude(deps: DeliverDependencies, row: Delivery, made: Made): Promise<void> {
  const after = afterAttempt(row, made, deps.clock.now(), deps.random());
  const stored = (await deps.deliveries.replace(after)) ?? (await recordLate(deps, row, after));
  tell(deps, after, made);
  if (stored?.state === 'gone') await deps.endRegistration(stored);
  if (stored?.state === 'pending') await queueDeliveries(deps, [stored]);
}

/** Another writer changed the row meanwhile: the attempt is added all the same, unless it was recorded already. */
async function recordLate(deps: DeliverDependencies, row: Delivery, after: Delivery): Promise<Delivery | undefined> {
  const outcome = await deps.deliveries.update(row.delivery_id, (stored) => {
    if (stored.attempts.length !== row.attempts.length || stored.state !== 'pending') return undefined;
    const { attempts, state, next_attempt_at, updated_at } = after;
    return { ...stored, attempts, state, next_attempt_at, updated_at };
  });
  return outcome?.changed === true ? outcome.row : undefined;
}

/** The row with one more attempt and what follows from it. Pure. */
export function afterAttempt(row: Delivery, made: Made, nowMs: number, random: number): Delivery {
  const attempts = [...row.attempts, made.attempt];
  const firstMs = fromTimestamp(attempts[0]?.started_at ?? toTimestamp(nowMs));
  const { verdict } = made.classification;
  const tried = { attempts: attempts.length, firstMs, nowMs, retryAfterMs: made.retryAfterMs, random };
  const nextMs = verdict === 'retry' ? nextAttemptMs(tried) : undefined;
  return {
    ...row,
    attempts,
    state: verdict !== 'retry' ? verdict : nextMs === undefined ? 'exhausted' : 'pending',
    next_attempt_at: nextMs === undefined ? null : toTimestamp(nextMs),
    updated_at: toTimestamp(nowMs),
  };
}

function isTooLate(row: Delivery, nowMs: number): boolean {
  const first = row.attempts[0];
  return first !== undefined && !isWithinHorizon(fromTimestamp(first.started_at), nowMs);
}

async function giveUp(deps: DeliverDependencies, row: Delivery): Promise<undefined> {
  const { delivery_id, task_id } = row;
  await deps.deliveries.update(delivery_id, (stored) => {
    if (stored.attempts.length !== row.attempts.length || stored.state !== 'pending') return undefined;
    return { ...stored, state: 'exhausted', next_attempt_at: null, updated_at: toTimestamp(deps.clock.now()) };
  });
  deps.log.warn({ task_id, delivery_id, attempts: row.attempts.length }, 'webhook given up: its time is over');
  return undefined;
}

/** One line per attempt, without body, token, signature or query of the URL. */
function tell(deps: DeliverDependencies, row: Delivery, { attempt, classification }: Made): void {
  const { task_id, delivery_id, destination, event, state, next_attempt_at } = row;
  const { verdict: _verdict, ...outcome } = classification;
  const facts = {
    task_id,
    delivery_id,
    destination,
    event,
    attempt: attempt.attempt,
    ...outcome,
    state,
    next_attempt_at,
  };
  if (classification.signature_error !== undefined) {
    deps.log.error({ ...facts, kid: attempt.kid }, 'signing incident: the receiver refused our signature');
  } else if (classification.verdict === 'delivered') deps.log.info(facts, 'webhook delivered');
  else deps.log.warn(facts, 'webhook not delivered');
}
