import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** One key that signs access tokens, of the line of keys that follow one another. */
export const TokenKeyRow = z.object({
  /** Place in the line, as digits that sort: of several processes that make the next key, the first decides. */
  slot: z.string(),
  kid: z.string(),
  /** The private JWK, sealed for the slot; empty once it is retired: it signs nothing, is not published, and keeps its place. */
  sealed_jwk: z.string(),
  /** From when on it signs; it is published from its making on. */
  not_before: z.string(),
  revision: z.number().int(),
});
export type TokenKeyRow = z.infer<typeof TokenKeyRow>;

export const tokenKeys: CollectionSpec<TokenKeyRow> = {
  name: 'oauth_token_keys',
  key: 'slot',
  schema: TokenKeyRow,
  indexes: [],
};

/** What a sealed private key is bound to. */
export function sealedForSlot(slot: string): string {
  return `oauth token key ${slot}`;
}

export function isRetired({ sealed_jwk }: TokenKeyRow): boolean {
  return sealed_jwk === RETIRED;
}

/** What a retired key is in place of its private JWK. */
export const RETIRED = '';
