import type { Request, RequestHandler, Response } from 'express';
import { canonicalTargetUri } from '../signing/target-uri.ts';
import { authenticate } from './authenticate.ts';
import { signatureChallenge, refusal } from './codes.ts';
import type { Refusal, RefusalCode } from './codes.ts';
import { orderOf, readEvent } from './event.ts';
import type { WebhookEvent } from './event.ts';
import { handleOnce } from './handle-once.ts';
import type { Handled } from './handle-once.ts';
import type { Inbox } from './inbox.ts';
import { isJson, MAX_BODY_BYTES } from './pre-checks.ts';
import { readBody } from './read-body.ts';
import { headerReader } from './received-request.ts';
import type { ReceivedRequest } from './received-request.ts';
import type { Registration } from './registration.ts';
import type { VerifyRules } from './verify-rules.ts';

export interface ReceiverOptions extends VerifyRules {
  /** What was agreed for this endpoint, or how to find it for a request; undefined answers 404. */
  registration: Registration | ((request: Request) => Registration | undefined | Promise<Registration | undefined>);
  /** Remembers handled events; share one among all endpoints and processes. */
  inbox: Inbox;
  /**
   * The URL that senders call. A string is the public origin, such as `https://buyer.example`, put before the request
   * target; give it behind a proxy, and always where several names lead to this server. Default: from the request.
   */
  publicUrl?: string | ((request: Request) => string);
  /** How long a copy waits while another is being handled, in milliseconds. Default 10,000: senders wait 15,000. */
  waitMs?: number;
  /** Told of every webhook once it is answered, for logs and alarms; holds no body and no secret. */
  onOutcome?: (outcome: WebhookOutcome) => void;
}

/** One webhook for the handler: verified, not seen before, and newer than what was handled of its subject. */
export interface ReceivedWebhook {
  event: WebhookEvent;
  raw: { headers: Request['headers']; body: Buffer; json: unknown };
  /** The authenticated sender identity. */
  sender: string;
}

/** How one webhook was answered. `refused` carries the code; `unreadable` had no event in it. */
export interface WebhookOutcome {
  outcome: Handled['outcome'] | 'refused' | 'unreadable' | 'unknown_endpoint';
  status: number;
  code?: RefusalCode;
  sender?: string;
  keyid?: string;
  task_id?: string;
  idempotency_key?: string;
  /** What the handler, or a store, threw. */
  error?: unknown;
}

const STATUS: Record<Handled['outcome'], number> = {
  handled: 200,
  duplicate: 200,
  stale: 200,
  busy: 503,
  full: 429,
  failed: 500,
};

const RETRY_AFTER_SECONDS = '5';

/**
 * An Express handler for `app.post(path, webhookReceiver(options, handler))`, mounted before any body parser. It checks
 * content type, size and mode, verifies the sender, answers duplicates and stale states with 200, and gives `handler`
 * each new event once. A handler that throws answers 500: the sender tries again, and the event is new once more.
 */
export function webhookReceiver(
  options: ReceiverOptions,
  handler: (webhook: ReceivedWebhook) => Promise<void> | void,
): RequestHandler {
  if (typeof options.publicUrl === 'string' && canonicalTargetUri(options.publicUrl)?.path !== '/') {
    throw new RangeError('publicUrl is an origin such as https://buyer.example, without a path');
  }
  return async (request, response) => {
    const outcome = await receive(request, options, handler).catch((error: unknown): WebhookOutcome => {
      return { outcome: 'failed', status: 500, error };
    });
    answer(response, outcome);
    options.onOutcome?.(outcome);
  };
}

async function receive(
  request: Request,
  options: ReceiverOptions,
  handler: (webhook: ReceivedWebhook) => Promise<void> | void,
): Promise<WebhookOutcome> {
  const { registration: given, inbox, waitMs = 10_000, now = Date.now } = options;
  const registration = typeof given === 'function' ? await given(request) : given;
  if (registration === undefined) return { outcome: 'unknown_endpoint', status: 404 };

  if (!isJson(headerReader(request.headersDistinct))) return refused(refusal('webhook_content_type_unsupported'));
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === undefined) return refused(refusal('webhook_body_too_large'));

  const authenticated = await authenticate(asReceived(request, body, options.publicUrl), registration, options);
  if (!authenticated.ok) return refused(authenticated);
  const { sender, keyid } = authenticated;

  const json: unknown = JSON.parse(body.toString('utf8'));
  const event = readEvent(json, body);
  const known = { sender, ...(keyid !== undefined && { keyid }) };
  if (event === undefined) return { outcome: 'unreadable', status: 400, ...known };

  const handled = await handleOnce({
    inbox,
    event: { sender, idempotencyKey: event.idempotency_key, order: orderOf(event) },
    waitMs,
    now,
    handle: () => handler({ event, raw: { headers: request.headers, body, json }, sender }),
  });
  const { idempotency_key, task_id } = event;
  return { ...handled, status: STATUS[handled.outcome], ...known, idempotency_key, ...(task_id && { task_id }) };
}

/** The request as the sender made it. A public origin we were told replaces `Host`, which a proxy may have rewritten. */
function asReceived(request: Request, rawBody: Buffer, publicUrl: ReceiverOptions['publicUrl']): ReceivedRequest {
  const { method, originalUrl, headersDistinct: headers } = request;
  if (publicUrl === undefined) {
    return { method, url: `${request.protocol}://${request.headers.host ?? ''}${originalUrl}`, headers, rawBody };
  }
  const origin = typeof publicUrl === 'string' ? canonicalTargetUri(publicUrl)?.origin : undefined;
  const url = typeof publicUrl === 'string' ? `${origin ?? ''}${originalUrl}` : publicUrl(request);
  return { method, url, headers: { ...headers, host: undefined }, rawBody };
}

function refused({ code, status }: Refusal): WebhookOutcome {
  return { outcome: 'refused', status, code };
}

function answer(response: Response, { outcome, status, code }: WebhookOutcome): void {
  if (status === 401 && code !== undefined) response.set('WWW-Authenticate', signatureChallenge(code));
  if (status === 413) response.set('Connection', 'close');
  if (status === 429 || status === 503) response.set('Retry-After', RETRY_AFTER_SECONDS);
  response.status(status).json(status === 200 ? { received: true, outcome } : { error: code ?? outcome });
}
