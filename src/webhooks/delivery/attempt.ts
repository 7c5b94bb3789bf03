import { toTimestamp } from '../../platform/clock.ts';
import type { GateOutcome } from '../../platform/redis/destination-gate.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import { isOfProxy } from '../../platform/outbound/failure.ts';
import type { OutboundResult } from '../../platform/outbound/outbound-result.ts';
import { retryAfterMs } from '../../platform/outbound/retry-after.ts';
import { inSpan } from '../../platform/telemetry/spans.ts';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import { attemptHeaders } from './attempt-headers.ts';
import type { AttemptHeadersDependencies } from './attempt-headers.ts';
import { answerText } from '../answers/answer-text.ts';
import type { AnswerText } from '../answers/answer-text.ts';
import { hiddenOf } from '../answers/hidden-of.ts';
import type { Sent } from '../answers/hidden-of.ts';
import { classify } from './classify.ts';
import type { Classification } from './classify.ts';
import { owedAttempt } from './delivery.ts';
import type { Attempt, Delivery } from './delivery.ts';
import { sealedFor } from '../registration/webhook-target.ts';
import { wireUrl } from './wire-url.ts';
import { OPERATOR } from '../troubles/operational-webhook.ts';

export interface AttemptDependencies extends AttemptHeadersDependencies {
  outbound: Pick<Outbound, 'send'>;
  /** The way to the operator's own receiver (rule S4.operator-addresses); default: the same as to others. */
  operatorOutbound?: Pick<Outbound, 'send'>;
  /** Default: those of the outbound client (rule W8). */
  timeouts?: { connectTimeoutMs: number; totalTimeoutMs: number };
}

/** An attempt as it went, and what follows from it. */
export interface AttemptResult {
  attempt: Attempt;
  classification: Classification;
  /** What the receiver asked for by `Retry-After`, in milliseconds. */
  retryAfterMs: number | undefined;
  /** Reads what the receiver said, without what is secret; undefined where it did not answer, or answered 2xx. */
  failedAnswer: (() => Promise<AnswerText>) | undefined;
}

/**
 * Sends the row's frozen bytes once, proved anew.
 * @throws the signal's reason when it aborts.
 */
export function makeAttempt(deps: AttemptDependencies, row: Delivery, signal: AbortSignal): Promise<AttemptResult> {
  const attributes = () => {
    const { delivery_id, task_id, destination, mode } = row;
    return { delivery_id, task_id, host: new URL(destination).host, mode, attempt: owedAttempt(row) };
  };
  return inSpan('webhook attempt', { kind: 'client', attributes, parent: row.traceparent }, async (span) => {
    const made = await attemptOnce(deps, row, signal, span.traceparent);
    const { status, http_status_code, timings } = made.attempt;
    span.note({
      outcome: status,
      ...(http_status_code && { 'http.response.status_code': http_status_code }),
      ...timings,
    });
    if (status !== 'success') span.fail(status);
    return made;
  });
}

async function attemptOnce(
  deps: AttemptDependencies,
  row: Delivery,
  signal: AbortSignal,
  traceparent: string | undefined,
): Promise<AttemptResult> {
  const startedMs = deps.clock.now();
  const url = registeredUrl(deps.sealer, row.url);
  const text = row.is_body_sealed ? deps.sealer.open(row.body, sealedFor(url)) : row.body;
  const request = { url: wireUrl(url), body: Buffer.from(text) };
  const { headers: proved, secrets, ...signer } = await attemptHeaders(deps, row, request);
  // Outside the signature, which names what it covers: proxies on the way may set their own.
  const headers = { ...proved, ...(traceparent !== undefined && { traceparent }) };
  const way = row.organization_id === OPERATOR ? (deps.operatorOutbound ?? deps.outbound) : deps.outbound;
  const result = await way.send({ ...request, ...deps.timeouts, method: 'POST', headers, signal });
  const classification = classify(result);
  const { verdict: _verdict, ...outcome } = classification;
  return {
    classification,
    retryAfterMs: askedMs(result, deps.clock.now()),
    failedAnswer: answerOf(result, classification, {
      ...{ url: request.url, text, secrets },
      isBodySecret: row.is_body_sealed,
    }),
    attempt: {
      attempt: owedAttempt(row),
      started_at: toTimestamp(startedMs),
      ...outcome,
      ...signer,
      ...progressOf(result),
    },
  };
}

/** Of other answers the header says nothing that this sender asks about (rule W7.retry-after). */
const ASKS_TO_WAIT: readonly number[] = [429, 503];

function askedMs(result: OutboundResult, nowMs: number): number | undefined {
  if (result.kind !== 'response' || !ASKS_TO_WAIT.includes(result.status)) return undefined;
  return retryAfterMs(result.headers['retry-after'], nowMs);
}

/** Read by whoever keeps it, so that no attempt waits for that. */
function answerOf(result: OutboundResult, { status }: Classification, sent: Sent): AttemptResult['failedAnswer'] {
  if (result.kind !== 'response' || status !== 'failed') return undefined;
  return () => answerText(result, hiddenOf(sent));
}

function progressOf(result: OutboundResult): Pick<Attempt, 'address' | 'timings'> {
  if (result.kind === 'refused') return {};
  const { address, timings } = result;
  return { ...(address !== undefined && { address }), timings };
}

/**
 * What an attempt says of its target: an answer about this webhook alone, such as 401 or 404, is a good sign; that our own proxy
 * led nowhere says nothing.
 */
export function gateOutcome({ verdict, http_status_code, status, error_message }: Classification): GateOutcome {
  if (http_status_code === undefined && isOfProxy(error_message)) return 'unknown';
  if (verdict === 'delivered') return 'accepted';
  const isAboutUs = verdict === 'retry' && (http_status_code !== 401 || status !== 'failed');
  return isAboutUs ? 'failed' : 'ok';
}
