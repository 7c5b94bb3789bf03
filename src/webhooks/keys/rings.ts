import type { JsonWebKey } from 'node:crypto';
import type { SigningKey } from '../signing/signing-key.ts';
import { configuredLine } from './configured-line.ts';
import { createKeyRing } from './key-ring.ts';
import type { KeyOptions, KeyRing, KeyRingDependencies } from './key-ring.ts';

export interface RingOptions extends KeyOptions {
  /**
   * Private JWKs that sign webhooks and nothing else (rule C.webhook.signatures.1), published beside the others. The
   * first signs. Without any, the keys that sign the rest sign webhooks too.
   */
  webhooksOnly?: readonly JsonWebKey[];
  /** Ids of configured keys that must not be trusted any more; published as such. */
  revokedKids?: readonly string[];
}

/** The agent's keys as one: what is published, listed and revoked. `signer` is the key of all but webhooks. */
export interface Rings extends KeyRing {
  webhookSigner(): Promise<SigningKey>;
}

/** @throws {TypeError} for a configured key that is not sound, or comes twice. */
export function createRings(deps: KeyRingDependencies & RingOptions): Rings {
  const { webhooksOnly = [], configured = [], revokedKids = [] } = deps;
  const ring = createKeyRing(deps);
  const own = webhooksOnly.length > 0 ? createKeyRing({ ...deps, configured: webhooksOnly }) : undefined;
  configuredLine([...configured, ...webhooksOnly], deps.names);
  const revoked = async () => [...new Set([...(await ring.revoked()), ...revokedKids])];
  return {
    ...ring,
    webhookSigner: () => (own ?? ring).signer(),
    revoked,
    async published() {
      const keys = [...(await ring.published()), ...((await own?.published()) ?? [])];
      return keys.filter(({ kid }) => !revokedKids.includes(kid));
    },
    async list() {
      const ofWebhooks = (await own?.list()) ?? [];
      return [...(await ring.list()), ...ofWebhooks.map((facts) => ({ ...facts, webhooks_only: true as const }))];
    },
    async revoke(kid) {
      const isOwn = (await own?.list())?.some((facts) => facts.kid === kid) ?? false;
      return (isOwn && own !== undefined ? own : ring).revoke(kid);
    },
  };
}
