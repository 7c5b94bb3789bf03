import type { OutboundResult, ResponseResult } from '../../platform/outbound/outbound-result.ts';
import { retryAfterMs } from '../../platform/outbound/retry-after.ts';
import { Broken, Misconfigured, Unreachable } from '../../sales/ad-server/faults.ts';
import type { AdServerFault } from '../../sales/ad-server/faults.ts';
import { BridgeError } from './bridge-calls.ts';

/** `Retry-After` is honoured up to an hour. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * The fault of a call that has no whole answer; `what` names the call. Where no connection stood, nothing was sent. An answer that
 * breaks off is none, whatever its status, but for one that refuses the credential.
 */
export function faultOfNoAnswer(result: Exclude<OutboundResult, ResponseResult>, what: string): AdServerFault {
  if (result.kind === 'refused') return new Misconfigured(`${what} cannot be called: ${result.reason}`);
  const { status } = result;
  const sent = result.address === undefined ? 'no' : 'unknown';
  if (result.kind === 'timeout') return new Unreachable(`${what} has no answer in time (${result.phase})`, { sent });
  const message = `${what} has no whole answer: ${result.reason}`;
  if (status !== undefined && isRefusedCredential(status)) return new Misconfigured(`${message}, status ${status}`);
  if (NOT_HTTP.includes(result.reason)) return new Broken(message);
  return new Unreachable(message, { sent });
}

export interface StatusContext {
  /** Names the call. */
  what: string;
  /** Now, in milliseconds since the epoch. */
  nowMs: number;
  withoutToken: (text: string) => string;
}

/** The fault that a whole answer is whose status is none of the call's own. */
export function faultOfStatus({ status, headers, body }: ResponseResult, context: StatusContext): AdServerFault {
  const { what, nowMs, withoutToken } = context;
  const message = `${what} is answered ${status}${saidIn(body, withoutToken)}`;
  if (isRefusedCredential(status)) return new Misconfigured(message);
  if (!saysComeAgain(status)) return new Broken(message);
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  if (waitMs === undefined) return new Unreachable(message, { sent: 'unknown' });
  return new Unreachable(message, { sent: 'unknown', retryAtMs: nowMs + Math.min(waitMs, MAX_RETRY_AFTER_MS) });
}

const NOT_HTTP: readonly string[] = ['response is not valid http', 'response headers too large'];

function saysComeAgain(status: number): boolean {
  return [408, 425, 429].includes(status) || (status >= 500 && status <= 599);
}

function isRefusedCredential(status: number): boolean {
  return status === 401 || status === 403;
}

/** What the ad server itself says of it, for the operator: one short line, or nothing. */
function saidIn(body: Buffer, withoutToken: (text: string) => string): string {
  try {
    const { error } = BridgeError.parse(JSON.parse(body.toString('utf8')));
    const said = withoutToken(`${error.code}: ${error.message}`);
    return `: ${said.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, MAX_SAID)}`;
  } catch {
    return '';
  }
}

const MAX_SAID = 300;
