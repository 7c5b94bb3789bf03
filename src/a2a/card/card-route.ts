import type { IncomingHttpHeaders } from 'node:http';
import type { AgentCard } from '@a2a-js/sdk';
import type { RequestHandler } from 'express';
import { cardDocuments } from './card-documents.ts';
import type { CardDocuments, CardGeneration } from './card-documents.ts';
import type { CardSigner } from './card-signature.ts';

/** For how long a card may be believed, in seconds. */
const MAX_AGE_S = 300;

export interface CardRouteOptions {
  card: () => AgentCard;
  /** The key that signs now. */
  signer: (() => Promise<CardSigner>) | undefined;
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
    const { bytes, etag } = documents[generation(request.get('A2A-Version')) ?? unversioned];
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Cache-Control', `public, max-age=${MAX_AGE_S}`);
    response.setHeader('Last-Modified', new Date(startedAt).toUTCString());
    response.setHeader('ETag', etag);
    response.setHeader('Vary', 'A2A-Version');
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (isKnown(request.headers, etag, startedAt)) response.status(304).end();
    else response.end(bytes);
  };
}

/** Whether the client holds this document already (RFC 9110 section 13.2.2), also when it says `no-cache`. */
function isKnown(headers: IncomingHttpHeaders, etag: string, startedAt: number): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
  return Date.parse(headers['if-modified-since'] ?? '') >= startedAt;
}

function generation(version: string | undefined): '1.0' | '0.3' | undefined {
  if (version?.startsWith('1.') === true) return '1.0';
  return version?.startsWith('0.') === true ? '0.3' : undefined;
}
