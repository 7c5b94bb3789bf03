import type { AgentCard } from '@a2a-js/sdk';
import type { RequestHandler } from 'express';
import { sendDocument } from '../documents/served-document.ts';
import { cardDocuments } from './card-documents.ts';
import type { CardDocuments, CardGeneration } from './card-documents.ts';
import type { DocumentSigner } from '../../platform/crypto/document-signer.ts';

export interface CardRouteOptions {
  card: () => AgentCard;
  /** The key that signs now. */
  signer: (() => Promise<DocumentSigner>) | undefined;
  startedAtMs: number;
  /** What a request without a version header gets. */
  unversioned: CardGeneration;
}

/**
 * Serves the card in the wire generation that the `A2A-Version` header asks for. Written and signed once for each key;
 * conditional requests are answered 304.
 */
export function cardRoute({ card, signer, startedAtMs, unversioned }: CardRouteOptions): RequestHandler {
  const startedAt = Math.floor(startedAtMs / 1000) * 1000;
  let kept: { kid: string | undefined; documents: Promise<CardDocuments> } | undefined;

  async function current(): Promise<CardDocuments> {
    const key = await signer?.();
    if (kept === undefined || kept.kid !== key?.kid) {
      kept = { kid: key?.kid, documents: cardDocuments(card(), key) };
    }
    return kept.documents;
  }

  return async (request, response) => {
    const documents = await current();
    response.vary('A2A-Version');
    const document = documents[generation(request.get('A2A-Version')) ?? unversioned];
    await sendDocument(request, response, document, { type: 'application/json', startedAt });
  };
}

function generation(version: string | undefined): '1.0' | '0.3' | undefined {
  if (version?.startsWith('1.') === true) return '1.0';
  return version?.startsWith('0.') === true ? '0.3' : undefined;
}
