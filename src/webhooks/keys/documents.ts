import { toTimestamp } from '../../platform/clock.ts';
import type { KeySet } from './key-set.ts';
import type { PublicJwk } from '../signing/signing-key.ts';

/** Paths of the documents by which receivers find the keys (rules C.webhook.signatures.1, C.webhook.signatures.6). */
export const JWKS_PATH = '/.well-known/jwks.json';
export const BRAND_PATH = '/.well-known/brand.json';
/** Path of the list of keys that must not be trusted any more. */
export const REVOCATIONS_PATH = '/.well-known/revoked-keys.json';

/** How long verifiers may keep either document, in seconds; well below the time a key is published before it signs. */
export const DOCUMENT_MAX_AGE_SECONDS = 300;

/** The agent as its brand.json names it. */
export interface AgentIdentity {
  /** Where the agent is reached from outside, without a slash at the end. */
  publicBaseUrl: string;
  /** The agent's own URL; default `publicBaseUrl`. */
  agentUrl?: string;
  /** Identifies the agent among those of the brand; default `sales`. */
  agentId?: string;
  /** The operator's name for people. */
  name: string;
}

/** The key set that receivers verify webhooks with (RFC 7517). */
export async function jwksDocument(keySet: KeySet): Promise<{ keys: PublicJwk[] }> {
  return { keys: await keySet.published() };
}

/** The list that receivers poll for revoked keys; they look again by `next_update`. */
export async function revocationsDocument(
  keySet: KeySet,
  nowMs: number,
): Promise<{ revoked_kids: string[]; next_update: string }> {
  const next_update = toTimestamp(nowMs + DOCUMENT_MAX_AGE_SECONDS * 1000);
  return { revoked_kids: await keySet.revoked(), next_update };
}

/** The operator's brand.json: its sales agent, and where that agent's keys are. */
export function brandDocument({ publicBaseUrl, agentUrl, agentId, name }: AgentIdentity): Record<string, unknown> {
  return {
    version: '1.0',
    name,
    url: publicBaseUrl,
    agents: [
      {
        type: 'sales',
        id: agentId ?? 'sales',
        url: agentUrl ?? publicBaseUrl,
        jwks_uri: `${publicBaseUrl}${JWKS_PATH}`,
        revocations_uri: `${publicBaseUrl}${REVOCATIONS_PATH}`,
      },
    ],
  };
}
