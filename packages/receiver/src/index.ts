/**
 * Everything a buyer needs to receive a seller's webhooks, on any platform with WebCrypto and Fetch: the package
 * `media-buy-receiver`.
 */
export { createReceiver } from './create-receiver.ts';
export type { FetchContext, ReceivedWebhook, Receiver, ReceiverOptions } from './receiver-options.ts';
export type { OutcomeKind, WebhookOutcome } from './outcome.ts';
export type { PublicUrl } from './public-url.ts';

export { verifyWebhook } from './verify/verify-webhook.ts';
export type { KeySource, Verified, VerifyRules } from './verify/verify-rules.ts';
export { challenge } from './verify/refusal.ts';
export type { Refusal, RefusalCode } from './verify/refusal.ts';
export type {
  BearerRegistration,
  HmacRegistration,
  Registration,
  SignedRegistration,
  WebhookMode,
} from './verify/registration.ts';
export type { ReceivedHeaders, ReceivedRequest } from './wire/received-request.ts';
export type { SignatureAlg } from './wire/algorithms.ts';

export { readChallenge } from './events/read-challenge.ts';
export type { WebhookChallenge } from './events/read-challenge.ts';
export { readEvent } from './events/read-event.ts';
export type { ReadEvent, UnreadableCode } from './events/read-event.ts';
export { orderOf } from './events/order-of.ts';
export type { WebhookEvent } from './events/webhook-event.ts';
export { handleOnce } from './inbox/handle-once.ts';
export type { Handled, HandleOnce } from './inbox/handle-once.ts';

export { agentKeys } from './keys/agent-keys.ts';
export type { AgentKeysOptions } from './keys/agent-keys.ts';
export { boundedFetchJson } from './keys/fetch-json.ts';
export type { FetchedJson, FetchJson } from './keys/fetch-json.ts';
export { keysOf } from './keys/resolved-key.ts';
export type { Jwk, Jwks, KeyNotFound, ResolvedKey, ResolveKey, Surroundings } from './keys/resolved-key.ts';
export { revocationList } from './keys/revocation.ts';
export type { KeyStanding, RevocationChecker, RevocationListOptions } from './keys/revocation.ts';

export { memoryInbox } from './inbox/memory-inbox.ts';
export type { Inbox, InboxClaim, InboxEvent, InboxOptions } from './inbox/inbox.ts';
export { memoryReplayStore } from './replay/memory-replay-store.ts';
export type { ReplayStore } from './replay/replay-store.ts';
