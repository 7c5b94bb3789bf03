import type { WebhookChallenge } from './events/read-challenge.ts';
import type { WebhookEvent } from './events/webhook-event.ts';
import type { Inbox } from './inbox/inbox.ts';
import type { FetchJson } from './keys/fetch-json.ts';
import type { WebhookOutcome } from './outcome.ts';
import type { PublicUrl } from './public-url.ts';
import type { Registration } from './verify/registration.ts';
import type { VerifyRules } from './verify/verify-rules.ts';

export interface ReceiverOptions extends Omit<VerifyRules, 'surroundings'> {
  /** Where senders call: your public origin, or all of them. Required, since `Host` is the sender's word. */
  publicUrl: PublicUrl;
  /** What was agreed for this endpoint, or how to find it for a request; undefined answers 404. */
  registration: Registration | ((request: Request) => Registration | undefined | Promise<Registration | undefined>);
  /** Remembers handled events; share one among all endpoints and processes. */
  inbox: Inbox;
  /** Given each new event once. When it throws, the sender gets 500 and sends the event again. */
  onEvent: (webhook: ReceivedWebhook) => Promise<void> | void;
  /**
   * Whether an operation is one of yours: anybody may name your URL when registering, and the agent then signs for it.
   * What is not expected never reaches `onEvent`. Default: everything is expected.
   */
  expects?: (operation_id: string | undefined, event: WebhookEvent) => boolean | Promise<boolean>;
  /**
   * Whether you agree to hear of an account: a seller asks before it tells anything, of whatever URL somebody has registered. Say yes to
   * accounts and subscribers that are yours. Default: no.
   */
  agrees?: (asked: WebhookChallenge) => boolean | Promise<boolean>;
  /** How long a copy waits while another is being handled, in milliseconds. Default 10,000: senders wait 15,000. */
  waitMs?: number;
  /** Told of every request once its answer is known. */
  onOutcome?: (outcome: WebhookOutcome) => void;
}

/** One webhook for the handler: verified, expected, not seen before, and newer than what was handled of its subject. */
export interface ReceivedWebhook {
  event: WebhookEvent;
  /** The authenticated sender identity. */
  sender: string;
  raw: { headers: Headers; body: Uint8Array; json: unknown };
}

/** What an adapter knows of a request that the request itself does not say. */
export interface FetchContext {
  /** Path and query as they came over the wire; `Request` writes some characters of them otherwise. */
  requestTarget?: string;
  /** How keys and revocations are fetched where they were not told. */
  fetchJson?: FetchJson;
}

/** Answers webhooks, in the shape that Deno, Bun, Workers and Hono take. Never rejects. */
export interface Receiver {
  fetch(request: Request, context?: FetchContext): Promise<Response>;
}
