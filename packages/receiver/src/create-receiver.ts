import { answerOf, STATUS_OF } from './answer.ts';
import { readChallenge } from './events/read-challenge.ts';
import { readEvent } from './events/read-event.ts';
import { handleOnce } from './inbox/handle-once.ts';
import type { OutcomeKind, WebhookOutcome } from './outcome.ts';
import { publicUrlReader } from './public-url.ts';
import type { UrlOf } from './public-url.ts';
import { BodyAlreadyParsed, readBody } from './read-body.ts';
import type { FetchContext, Receiver, ReceiverOptions } from './receiver-options.ts';
import { checkRegistration } from './verify/check-registration.ts';
import { isJson, MAX_BODY_BYTES } from './verify/pre-checks.ts';
import { refusal } from './verify/refusal.ts';
import type { Refusal } from './verify/refusal.ts';
import { verifyWebhook } from './verify/verify-webhook.ts';
import { headerReader } from './wire/received-request.ts';
import { webhookNames } from './wire/webhook-names.ts';

/**
 * A webhook receiver as one `fetch`: it checks content type, size and mode, verifies the sender (rule W12), answers
 * duplicates and stale states with 200, and gives `onEvent` each new event once (rule W15).
 * @throws {RangeError} for an option that cannot be right: a `publicUrl` that is no origin, a weak secret, a protocol
 * that is no name.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const urlOf = publicUrlReader(options.publicUrl);
  if (typeof options.registration !== 'function') checkRegistration(options.registration);
  webhookNames(options.protocol);
  return {
    async fetch(request, context = {}) {
      const outcome = await receive(request, context, options, urlOf).catch(failed);
      tell(options, outcome);
      return answerOf(outcome);
    },
  };
}

async function receive(
  request: Request,
  context: FetchContext,
  options: ReceiverOptions,
  urlOf: UrlOf,
): Promise<WebhookOutcome> {
  const { registration: given, inbox, onEvent, expects, waitMs, now } = options;
  if (request.method !== 'POST') return plain('not_a_post');
  const registration = typeof given === 'function' ? await given(request) : given;
  if (registration === undefined) return plain('unknown_endpoint');

  if (!isJson(headerReader(request.headers))) return refused(refusal('webhook_content_type_unsupported'));
  const rawBody = await readBody(request, MAX_BODY_BYTES);
  if (rawBody === undefined) return refused(refusal('webhook_body_too_large'));

  const url = urlOf(request, context.requestTarget);
  if (url === undefined) return refused(refusal('webhook_target_uri_malformed', 'Host names none of publicUrl'));
  const headers = new Headers(request.headers);
  // What the sender called is known now, whatever a proxy has made of it.
  headers.delete('host');
  const { fetchJson } = context;
  const surroundings = { ...(fetchJson && { fetchJson }) };
  const verified = await verifyWebhook({ method: 'POST', url, headers, rawBody }, registration, {
    ...options,
    surroundings,
  });
  if (!verified.ok) return refused(verified);
  const { sender, keyid } = verified;
  const known = { sender, ...(keyid !== undefined && { keyid }) };

  const asked = readChallenge(rawBody);
  if (asked !== undefined) {
    const isAgreed = (await options.agrees?.(asked)) === true;
    return isAgreed
      ? { ...plain('agreed'), ...known, challenge: asked.challenge }
      : { ...plain('unexpected'), ...known };
  }

  const read = await readEvent(rawBody);
  if (!read.ok) return { ...plain('unreadable'), ...known, code: read.code, reason: read.reason };
  const { event, json } = read;
  const { idempotency_key, task_id, operation_id } = event;
  const told = { ...known, idempotency_key, ...(task_id && { task_id }), ...(operation_id && { operation_id }) };
  if (expects !== undefined && !(await expects(operation_id, event))) return { ...plain('unexpected'), ...told };

  const handled = await handleOnce({
    inbox,
    sender,
    event,
    handle: () => onEvent({ event, sender, raw: { headers: request.headers, body: rawBody, json } }),
    ...(waitMs !== undefined && { waitMs }),
    ...(now !== undefined && { now }),
  });
  return { ...handled, ...plain(handled.outcome), ...told };
}

function plain(outcome: Exclude<OutcomeKind, 'refused'>): WebhookOutcome {
  return { outcome, status: STATUS_OF[outcome] };
}

function refused({ code, status, reason }: Refusal): WebhookOutcome {
  return { outcome: 'refused', status, code, ...(reason !== undefined && { reason }) };
}

function failed(error: unknown): WebhookOutcome {
  const outcome = plain(error instanceof BodyAlreadyParsed ? 'body_already_parsed' : 'failed');
  return { ...outcome, error, ...(error instanceof Error && { reason: error.message }) };
}

/** A log that fails changes no answer: the sender is not to send again for it. */
function tell({ onOutcome }: ReceiverOptions, outcome: WebhookOutcome): void {
  try {
    onOutcome?.(outcome);
  } catch (error) {
    console.error('onOutcome of the webhook receiver threw', error);
  }
}
