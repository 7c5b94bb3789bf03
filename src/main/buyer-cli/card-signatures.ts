import { canonicalizeAgentCard } from '@a2a-js/sdk';
import type { AgentCard } from '@a2a-js/sdk';
import { decodeProtectedHeader, flattenedVerify } from 'jose';
import type { JWK } from 'jose';
import { z } from 'zod';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { messageOf } from '../process/process.ts';
import type { FetchFrom } from './fetch-from.ts';

const KeySet = z.object({ keys: z.array(z.looseObject({ kid: z.string().optional(), kty: z.string() })) });

/** Signatures by public keys alone; what a card says cannot have it verified by a secret. */
const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'ES512', 'PS256', 'RS256'];

/**
 * What is wrong with the signatures of a card. One that verifies is enough (A2A 1.0, section 8.4): over the card as it was
 * served or as the official SDK reads it, by a key that the card's own origin publishes.
 */
export async function wrongWithSignatures(
  card: AgentCard,
  { signatures: _signatures, ...served }: JsonObject,
  url: string,
  from: FetchFrom,
): Promise<string[]> {
  if (card.signatures.length === 0) return ['it is not signed: nobody can tell whether it was changed'];
  const forms = [canonicalJson(served), canonicalizeAgentCard(card)].map((form) => Buffer.from(form));
  const { origin } = new URL(url);
  const reasons = new Set<string>();
  for (const { protected: head, signature } of card.signatures) {
    try {
      const { kid = '', jku } = decodeProtectedHeader({ protected: head });
      const key = await publishedKey(kid, jku, origin, from);
      for (const form of forms) {
        const jws = { protected: head, signature, payload: form.toString('base64url') };
        const isGood = await flattenedVerify(jws, key, { algorithms: ALGORITHMS }).then(
          () => true,
          () => false,
        );
        if (isGood) return [];
      }
      reasons.add(`that of key ${kid} is not over this card`);
    } catch (error) {
      reasons.add(messageOf(error));
    }
  }
  return [...reasons].map((reason) => `no signature verifies: ${reason}`);
}

async function publishedKey(kid: string, jku: string | undefined, origin: string, from: FetchFrom): Promise<JWK> {
  const at = jku ?? `${origin}/.well-known/jwks.json`;
  if (!URL.canParse(at) || new URL(at).origin !== origin) throw new Error(`jku is not at ${origin}: ${at}`);
  const response = await from.fetch(at);
  const read = KeySet.safeParse(await response.json().catch(() => undefined));
  const key = read.data?.keys.find((one) => one.kid === kid);
  if (key === undefined) throw new Error(`${at} has no key ${kid}`);
  return key as JWK;
}
