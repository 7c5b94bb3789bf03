import type { JsonWebKey } from 'node:crypto';
import type { SigningKey } from '../signing/signing-key.ts';
import { configuredKeys } from './configured-keys.ts';
import { createKeySet } from './key-set.ts';
import type { KeyRotationOptions, KeySet, KeySetDependencies } from './key-set.ts';

export interface KeySetOptions extends KeyRotationOptions {
  /**
   * Private JWKs that sign webhooks and nothing else (rule C.webhook.signatures.1), published beside the others. The
   * first signs. Without any, the keys that sign the rest sign webhooks too.
   */
  webhooksOnly?: readonly JsonWebKey[];
  /** Ids of configured keys that must not be trusted any more; published as such. */
  revokedKids?: readonly string[];
}

/** The agent's keys as one: what is published, listed and revoked. `signer` is the key of all but webhooks. */
export interface SigningKeySets extends KeySet {
  webhookSigner(): Promise<SigningKey>;
}

/** @throws {TypeError} for a configured key that is not sound, or comes twice. */
export function createSigningKeySets(deps: KeySetDependencies & KeySetOptions): SigningKeySets {
  const { webhooksOnly = [], configured = [], revokedKids = [] } = deps;
  const keySet = createKeySet(deps);
  const own = webhooksOnly.length > 0 ? createKeySet({ ...deps, configured: webhooksOnly }) : undefined;
  configuredKeys([...configured, ...webhooksOnly], deps.names);
  const revoked = async () => [...new Set([...(await keySet.revoked()), ...revokedKids])];
  return {
    ...keySet,
    webhookSigner: () => (own ?? keySet).signer(),
    revoked,
    async published() {
      const keys = [...(await keySet.published()), ...((await own?.published()) ?? [])];
      return keys.filter(({ kid }) => !revokedKids.includes(kid));
    },
    async list() {
      const ofWebhooks = (await own?.list()) ?? [];
      return [...(await keySet.list()), ...ofWebhooks.map((facts) => ({ ...facts, webhooks_only: true as const }))];
    },
    async revoke(kid) {
      const isOwn = (await own?.list())?.some((facts) => facts.kid === kid) ?? false;
      return (isOwn && own !== undefined ? own : keySet).revoke(kid);
    },
  };
}
