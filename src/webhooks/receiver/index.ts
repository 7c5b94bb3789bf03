/**
 * Everything a buyer needs to receive webhooks, with no part of the server: the package export
 * `media-buy-agent/receiver`.
 */
export { protocolNames } from '../../platform/protocol-name.ts';
export type { ProtocolNames } from '../../platform/protocol-name.ts';
export type { SignatureAlg } from '../signing/algorithms.ts';
export { agentKeys } from './agent-keys.ts';
export type { AgentKeysOptions } from './agent-keys.ts';
export { authenticate, verifyLegacy } from './authenticate.ts';
export { signatureChallenge as challenge } from './codes.ts';
export type { Refusal, RefusalCode } from './codes.ts';
export { readEvent } from './event.ts';
export type { WebhookEvent } from './event.ts';
export { boundedFetchJson } from './fetch-json.ts';
export type { FetchedJson, FetchJson } from './fetch-json.ts';
export { memoryInbox } from './inbox-memory.ts';
export { redisInbox } from './inbox-redis.ts';
export type { InboxClaim as Claim, Inbox, InboxEvent, InboxOptions } from './inbox.ts';
export type { ReceivedHeaders, ReceivedRequest } from './received-request.ts';
export type { RedisClient } from './redis-client.ts';
export type {
  BearerRegistration,
  HmacRegistration,
  Registration,
  SignedRegistration,
  WebhookMode,
} from './registration.ts';
export { redisReplayStore } from './replay-store-redis.ts';
export { memoryReplayStore } from './replay-store.ts';
export type { ReplayStore } from './replay-store.ts';
export { keysOf } from './resolved-key.ts';
export type { Jwk, Jwks, ResolvedKey, ResolveKey } from './resolved-key.ts';
export { revocationList } from './revocation.ts';
export type { KeyStanding, RevocationChecker, RevocationListOptions } from './revocation.ts';
export type { Verified } from './schemes/rfc9421.ts';
export type { Authenticated, KeySource, VerifyOptions, VerifyRules } from './verify-rules.ts';
export { verifyWebhook } from './verify-webhook.ts';
export { webhookReceiver } from './webhook-receiver.ts';
export type { ReceivedWebhook, ReceiverOptions, WebhookOutcome } from './webhook-receiver.ts';
