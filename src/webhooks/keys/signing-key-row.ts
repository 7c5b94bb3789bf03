import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** One key that signs webhooks, of those that follow one another. */
export const SigningKeyRow = z.strictObject({
  /** Its place among them, as digits that sort: of several processes that make the next key, the first decides. */
  slot: z.string(),
  kid: z.string(),
  alg: z.enum(['ed25519', 'ecdsa-p256-sha256']),
  /** The private JWK, sealed for {@link sealedForKey}. */
  sealed_jwk: z.string(),
  created_at: z.string(),
  /** From when on it signs; it is published from its making on. */
  not_before: z.string(),
  /** Set when it must not be trusted any more: neither signs nor is published, and is listed as revoked. */
  revoked_at: z.string().nullable(),
  revision: z.int(),
});
export type SigningKeyRow = z.infer<typeof SigningKeyRow>;

export const SigningKeys: CollectionSpec<SigningKeyRow> = {
  name: 'signing_keys',
  key: 'slot',
  schema: SigningKeyRow,
  indexes: [{ name: 'by_kid', fields: ['kid'], unique: true }],
};

/** Keys of release 3.0 of the public protocol, which wants one that is for webhooks alone: they follow one another by themselves. */
export const WebhookSigningKeys: CollectionSpec<SigningKeyRow> = { ...SigningKeys, name: 'webhook_signing_keys' };

/** What a sealed private key is bound to. */
export function sealedForKey(kid: string): string {
  return `signing key ${kid}`;
}

/** The slot after this one; the first when there is none. */
export function slotAfter(slot: string | undefined): string {
  return String(Number(slot ?? '0') + 1).padStart(6, '0');
}
