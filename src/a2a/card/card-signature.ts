import { AgentCard, canonicalizeAgentCard } from '@a2a-js/sdk';
import { FlattenedSign } from 'jose';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { DocumentSigner } from '../../platform/crypto/document-signer.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { pythonForm } from './python-form.ts';

export interface CardSignature {
  protected: string;
  signature: string;
}

/**
 * The signatures of a document: over its canonical form (A2A 1.0 section 8.4, RFC 8785), and over what the official
 * SDK for Python makes of it. One that verifies is enough.
 */
export async function signCard(document: JsonObject, signer: DocumentSigner): Promise<CardSignature[]> {
  const { signatures: _signatures, ...signed } = document;
  return Promise.all([signText(canonicalJson(signed), signer), signText(pythonForm(document), signer)]);
}

/** The same of a card of 1.0, and over the form of the official SDK for JavaScript. */
export async function signModernCard(card: AgentCard, signer: DocumentSigner): Promise<CardSignature[]> {
  const forJavaScript = signText(canonicalizeAgentCard(card), signer);
  return [...(await signCard(AgentCard.toJSON(card) as JsonObject, signer)), await forJavaScript];
}

async function signText(text: string, { kid, alg, jku, privateKey }: DocumentSigner): Promise<CardSignature> {
  const jws = await new FlattenedSign(Buffer.from(text))
    .setProtectedHeader({ alg, kid, typ: 'JOSE', jku })
    .sign(privateKey);
  return { protected: jws.protected ?? '', signature: jws.signature };
}
