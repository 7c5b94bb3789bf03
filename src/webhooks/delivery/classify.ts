import { PROXY_TIMEOUT } from '../../platform/outbound/failure.ts';
import type { OutboundResult } from '../../platform/outbound/outbound-result.ts';

/** How an attempt shows in `webhook_activity` (rule C.events.7). */
export type ActivityStatus = 'success' | 'failed' | 'timeout' | 'connection_error';

/** What follows from an attempt: done; again later; the registration ends; this event's delivery ends. */
export type AttemptVerdict = 'delivered' | 'retry' | 'gone' | 'rejected';

export interface Classification {
  verdict: AttemptVerdict;
  status: ActivityStatus;
  http_status_code?: number;
  /** Our own words (rule W11): never text of the receiver's. */
  error_message?: string;
  /** The code of a 401 that blames our signature: for the operator, shaped as a code and nothing else. */
  signature_error?: string;
}

/** What a receiver's answer means, by status (rule W6); the first row that fits decides. */
const ANSWERS: readonly { fits: (status: number) => boolean; verdict: AttemptVerdict; error_message?: string }[] = [
  { fits: (status) => status >= 200 && status < 300, verdict: 'delivered' },
  { fits: (status) => status === 401, verdict: 'retry', error_message: 'receiver refused our authentication' },
  { fits: (status) => status === 408, verdict: 'retry', error_message: 'receiver timed out' },
  { fits: (status) => status === 425, verdict: 'retry', error_message: 'receiver was not ready' },
  { fits: (status) => status === 429, verdict: 'retry', error_message: 'receiver asked for fewer requests' },
  { fits: (status) => status >= 500 && status < 600, verdict: 'retry', error_message: 'receiver failed' },
  { fits: (status) => status === 410, verdict: 'gone', error_message: 'receiver is gone for good' },
  { fits: (status) => status >= 300 && status < 400, verdict: 'rejected', error_message: 'redirects are not followed' },
  {
    fits: (status) => status >= 400 && status < 500,
    verdict: 'rejected',
    error_message: 'receiver refused the webhook',
  },
  { fits: () => true, verdict: 'retry', error_message: 'answer is not valid http' },
];

/** What became of one attempt, and what follows (rules W6, W11). */
export function classify(result: OutboundResult): Classification {
  switch (result.kind) {
    case 'response':
      return classifyAnswer(result.status, result.headers['www-authenticate']);
    case 'timeout':
      return { verdict: 'retry', status: 'timeout', ...head(result), error_message: TIMEOUTS[result.phase] };
    case 'connection_error':
      return { verdict: 'retry', status: 'connection_error', ...head(result), error_message: result.reason };
    case 'refused':
      return { verdict: 'retry', status: 'connection_error', error_message: `address refused: ${result.reason}` };
  }
}

function classifyAnswer(http_status_code: number, challenge: string | undefined): Classification {
  const row = ANSWERS.find(({ fits }) => fits(http_status_code));
  const { verdict = 'retry', error_message } = row ?? {};
  const signature_error = http_status_code === 401 ? signatureErrorOf(challenge) : undefined;
  return {
    verdict,
    status: verdict === 'delivered' ? 'success' : 'failed',
    http_status_code,
    ...(error_message !== undefined && { error_message }),
    ...(signature_error !== undefined && { signature_error }),
  };
}

/** The code of `WWW-Authenticate: Signature error="…"` (rule C.webhook.signatures.6), with or without quotes. */
function signatureErrorOf(challenge: string | undefined): string | undefined {
  if (challenge === undefined || challenge.length > 1000) return undefined;
  return /(?:^|,\s*)Signature\s[^,]*?\berror="?([a-z0-9_]{1,80})(?:"|\s|,|$)/i.exec(challenge)?.[1];
}

/** The head of a response that never ended counts for nothing, but is shown. */
function head({ status }: { status?: number }): { http_status_code?: number } {
  return status === undefined ? {} : { http_status_code: status };
}

type TimeoutPhase = Extract<OutboundResult, { kind: 'timeout' }>['phase'];

const TIMEOUTS: Record<TimeoutPhase, string> = {
  queue: 'timed out waiting for a free connection',
  dns: 'timed out looking up the name',
  proxy: PROXY_TIMEOUT,
  connect: 'timed out connecting',
  tls: 'timed out in the tls handshake',
  response: 'timed out waiting for the answer',
  body: 'timed out reading the answer',
};
