import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { strongEtag } from '../../../src/platform/etag.ts';
import { serveHttp } from '../../platform/outbound/support/servers.ts';

type Answer = string | Buffer | object | number | ((request: IncomingMessage, response: ServerResponse) => void);

/** What domains publish, each at an origin of its own on loopback. */
export interface PublishedFiles {
  adAgentsUrl: (domain: string) => string;
  /** Gives a domain an origin, for this test, and nothing to read there. */
  open(...domains: string[]): Promise<void>;
  origin(domain: string): string;
  /** From now on: a text, an object as JSON, bytes as gzip, a status, or whatever is done. */
  publish(domain: string, path: string, answer: Answer): void;
  /** How often a path was asked for. */
  asked(domain: string, path: string): number;
}

/** Texts and objects have an ETag and are answered 304 to who knows it. */
export function publishedFiles(): PublishedFiles {
  const origins = new Map<string, string>();
  const answers = new Map<string, Answer>();
  const counts = new Map<string, number>();
  const origin = (domain: string) => origins.get(domain) ?? 'http://127.0.0.1:1';

  function answer(domain: string, request: IncomingMessage, response: ServerResponse): void {
    const key = `${domain}${request.url ?? ''}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const said = answers.get(key) ?? 404;
    if (typeof said === 'function') said(request, response);
    else if (typeof said === 'number') response.writeHead(said).end();
    else if (Buffer.isBuffer(said)) response.writeHead(200, { 'content-encoding': 'gzip' }).end(said);
    else {
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      const etag = strongEtag(text);
      const isKnown = request.headers['if-none-match'] === etag;
      response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? undefined : text);
    }
  }

  return {
    origin,
    adAgentsUrl: (domain) => `${origin(domain)}/.well-known/adagents.json`,
    async open(...domains) {
      for (const domain of domains) {
        const server = await serveHttp((request, response) => {
          answer(domain, request, response);
        });
        origins.set(domain, server.origin);
      }
    },
    publish(domain, path, said) {
      answers.set(`${domain}${path}`, said);
    },
    asked: (domain, path) => counts.get(`${domain}${path}`) ?? 0,
  };
}

/** A text as it is sent to who takes gzip. */
export function zipped(text: string): Buffer {
  return gzipSync(text, { level: 1 });
}
