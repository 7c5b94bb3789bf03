import { AgentCard } from '@a2a-js/sdk';
import type { JsonObject } from '../../platform/json-object.ts';
import { servedDocument } from '../documents/served-document.ts';
import type { ServedDocument } from '../documents/served-document.ts';
import { signCard, signModernCard } from './card-signature.ts';
import type { CardSignature } from './card-signature.ts';
import type { DocumentSigner } from '../../platform/crypto/document-signer.ts';
import { cardForBoth, legacyCard } from './legacy-card.ts';

/** Which document a request gets: a wire generation's own, or the one for clients of both. */
export type CardGeneration = '1.0' | '0.3' | 'both';
export type CardDocuments = Readonly<Record<CardGeneration, ServedDocument>>;

/**
 * The card in all its forms, each signed over itself. The one for both carries the signatures of 1.0 besides, for
 * verifiers that look only at the fields they know.
 */
export async function cardDocuments(card: AgentCard, signer: DocumentSigner | undefined): Promise<CardDocuments> {
  const [modern, legacy, both] = [AgentCard.toJSON(card) as JsonObject, legacyCard(card), cardForBoth(card)];
  if (signer === undefined) return { '1.0': written(modern), '0.3': written(legacy), both: written(both) };
  const signatures = await signModernCard(card, signer);
  return {
    '1.0': written(modern, signatures),
    '0.3': written(legacy, await signCard(legacy, signer)),
    both: written(both, [...signatures, ...(await signCard(both, signer))]),
  };
}

function written(document: JsonObject, signatures?: CardSignature[]): ServedDocument {
  return servedDocument(JSON.stringify({ ...document, ...(signatures && { signatures }) }));
}
