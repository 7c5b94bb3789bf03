import { isObject, textOf } from '../wire/json-shape.ts';
import { parseStrictJson } from '../wire/strict-json.ts';

/** What a seller asks of a receiver before it tells of an account there: whether it agrees to hear. It is no event. */
export interface WebhookChallenge {
  /** A random text, which the answer repeats. */
  challenge: string;
  account_id?: string;
  /** What you called the subscription when you registered it. */
  subscriber_id?: string;
  /** What it is to hear of. */
  event_types: string[];
}

/** The challenge in a verified body; undefined where it is something else. Never throws. */
export function readChallenge(rawBody: Uint8Array): WebhookChallenge | undefined {
  const body = parseStrictJson(rawBody)?.value;
  if (!isObject(body) || body['type'] !== 'webhook.challenge') return undefined;
  const [challenge, account_id, subscriber_id] = ['challenge', 'account_id', 'subscriber_id'].map((name) =>
    textOf(body[name]),
  );
  if (challenge === undefined) return undefined;
  const types: unknown[] = Array.isArray(body['event_types']) ? body['event_types'] : [];
  return {
    challenge,
    ...(account_id !== undefined && { account_id }),
    ...(subscriber_id !== undefined && { subscriber_id }),
    event_types: types.filter((type) => typeof type === 'string'),
  };
}
