import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AgentCard } from '@a2a-js/sdk';
import type { RequestHandler } from 'express';
import type { JsonObject } from '../../runtime/content.ts';
import { cardForBoth, legacyCard } from './legacy-card.ts';

/** For how long a card may be believed, in seconds. */
const MAX_AGE_S = 300;

interface CardDocument {
  bytes: Buffer;
  etag: string;
}

/**
 * Serves the card in the wire generation that the `A2A-Version` header asks for, else in one document for both. Written
 * once per process; conditional requests are answered 304.
 */
export function cardRoute(card: () => AgentCard, startedAtMs: number): RequestHandler {
  let documents: Record<'1.0' | '0.3' | 'both', CardDocument> | undefined;
  const startedAt = Math.floor(startedAtMs / 1000) * 1000;
  const write = () => ({
    '1.0': written(AgentCard.toJSON(card()) as JsonObject),
    '0.3': written(legacyCard(card())),
    both: written(cardForBoth(card())),
  });

  return (request, response) => {
    documents ??= write();
    const { bytes, etag } = documents[generation(request.get('A2A-Version'))];
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

function generation(version: string | undefined): '1.0' | '0.3' | 'both' {
  if (version?.startsWith('1.') === true) return '1.0';
  return version?.startsWith('0.') === true ? '0.3' : 'both';
}

function written(document: JsonObject): CardDocument {
  const bytes = Buffer.from(JSON.stringify(document));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"` };
}
