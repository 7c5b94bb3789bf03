import type { JsonWebKey } from 'node:crypto';
import { protocolNames } from '../../platform/protocol-name.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Dialect } from '../../runtime/registration.ts';
import type { SigningKey } from '../signing/signing-key.ts';
import { configuredKeys } from './configured-keys.ts';
import { createKeySet } from './key-set.ts';
import type { KeyRotationOptions, KeySet, KeySetDependencies } from './key-set.ts';
import type { SigningKeyRow } from './signing-key-row.ts';

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
  /** The key of webhooks in a public dialect, or in our own words. */
  webhookSigner(dialect?: Dialect): Promise<SigningKey>;
  /** Counts a webhook that a key has signed; to ask for the key counts nothing, as `/readyz` does. */
  noteSigned(kid: string): void;
  /** How many webhooks each key has signed in this process, by its id. */
  signed(): ReadonlyMap<string, number>;
}

export interface SigningKeySetsDependencies extends KeySetDependencies {
  /** Of release 3.0 of the public protocol. */
  webhookKeys: Collection<SigningKeyRow>;
}

/** @throws {TypeError} for a configured key that is not sound, or comes twice. */
export function createSigningKeySets(deps: SigningKeySetsDependencies & KeySetOptions): SigningKeySets {
  const { webhooksOnly = [], configured = [], revokedKids = [], webhookKeys } = deps;
  const keySet = createKeySet(deps);
  // Made here even where the others are configured: no file has a key for this.
  const of30 = createKeySet({ ...deps, configured: [], keys: webhookKeys, keyUse: 'webhook-signing' });
  const own = webhooksOnly.length > 0 ? createKeySet({ ...deps, configured: webhooksOnly }) : undefined;
  const ofWebhooks = own === undefined ? [of30] : [own, of30];
  const all = [keySet, ...ofWebhooks];
  const signed = new Map<string, number>();
  configuredKeys([...configured, ...webhooksOnly], deps.names);
  return {
    ...keySet,
    webhookSigner: (dialect) => (dialect === 'adcp/3.0' ? of30 : (own ?? keySet)).signer(),
    noteSigned: (kid) => signed.set(kid, (signed.get(kid) ?? 0) + 1),
    signed: () => signed,
    async revoked() {
      const kids = await ofEach(all, (one) => one.revoked());
      return [...new Set([...kids, ...revokedKids])];
    },
    async rotateWhenDue() {
      for (const one of all) await one.rotateWhenDue();
    },
    async published() {
      const keys = await ofEach(all, (one) => one.published());
      // What a key is for is found under either name (rule D5.signed).
      const shown = keys.map((key) => ({ ...key, [PUBLIC_KEY_USE]: key[deps.names.keyUseField] }));
      return shown.filter(({ kid }) => !revokedKids.includes(kid));
    },
    async list() {
      const facts = await ofEach(ofWebhooks, (one) => one.list());
      return [...(await keySet.list()), ...facts.map((one) => ({ ...one, webhooks_only: true as const }))];
    },
    async revoke(kid) {
      for (const one of all) if (await one.revoke(kid)) return true;
      return false;
    },
  };
}

/** What each of them has, in their order. */
async function ofEach<T>(sets: readonly KeySet[], ask: (one: KeySet) => Promise<T[]>): Promise<T[]> {
  return (await Promise.all(sets.map(ask))).flat();
}

const PUBLIC_KEY_USE = protocolNames('adcp').keyUseField;
