import type { KeyObject } from 'node:crypto';
import { AgentCard, canonicalizeAgentCard } from '@a2a-js/sdk';
import { FlattenedSign } from 'jose';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { JsonObject } from '../../platform/json-object.ts';

/** The key that signs the card; its public half is in the key set at `jku`. */
export interface CardSigner {
  kid: string;
  /** As JWS names it (RFC 7518, RFC 8037). */
  alg: string;
  privateKey: KeyObject;
  jku: string;
}

export interface CardSignature {
  protected: string;
  signature: string;
}

/** Signs a card without its signatures: a JWS over its canonical form (A2A 1.0 section 8.4, RFC 8785). */
export async function signCard(card: JsonObject, signer: CardSigner): Promise<CardSignature> {
  const { signatures: _signatures, ...signed } = card;
  return signText(canonicalJson(signed), signer);
}

/**
 * The signatures of a card of 1.0: over its canonical form, and over that of verifiers which leave out empty objects
 * too, as the official SDK does. One that verifies is enough.
 */
export async function signModernCard(card: AgentCard, signer: CardSigner): Promise<CardSignature[]> {
  return Promise.all([
    signCard(AgentCard.toJSON(card) as JsonObject, signer),
    signText(canonicalizeAgentCard(card), signer),
  ]);
}

async function signText(text: string, { kid, alg, jku, privateKey }: CardSigner): Promise<CardSignature> {
  const jws = await new FlattenedSign(Buffer.from(text))
    .setProtectedHeader({ alg, kid, typ: 'JOSE', jku })
    .sign(privateKey);
  return { protected: jws.protected ?? '', signature: jws.signature };
}
