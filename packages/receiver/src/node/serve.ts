import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '../receiver-options.ts';
import { guardedFetchJson } from './guarded-fetch-json.ts';
import { bodyOf } from './request-body.ts';

/** A request of node:http, or of a framework that adds to one. */
export type NodeRequest = IncomingMessage & { body?: unknown; originalUrl?: string };

const fetchJson = guardedFetchJson();

/** Has a receiver answer one request of node:http. */
export async function serve(receiver: Receiver, request: NodeRequest, response: ServerResponse): Promise<void> {
  const requestTarget = request.originalUrl ?? request.url ?? '/';
  const answer = await receiver.fetch(asRequest(request, requestTarget), { requestTarget, fetchJson });
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  // The rest of a body that is too large is not waited for.
  if (answer.status === 413 && request.httpVersionMajor === 1) response.setHeader('connection', 'close');
  response.writeHead(answer.status).end(await answer.text());
}

/** The URL holds only what `Request` can take: what was called is told beside it. */
function asRequest(request: NodeRequest, requestTarget: string): Request {
  const { method = 'GET' } = request;
  const headers = headersOf(request);
  const base = `http://${headers.get('host') ?? ''}`;
  const origin = URL.canParse(base) ? base : 'http://unknown.invalid';
  const url = URL.canParse(requestTarget, origin) ? new URL(requestTarget, origin) : origin;
  if (method !== 'POST') return new Request(url, { headers });
  const init = { method, headers, body: bodyOf(request), duplex: 'half' as const };
  return new Request(url, init);
}

/** Each line as it came, those that come twice too. */
function headersOf({ headersDistinct }: NodeRequest): Headers {
  const headers = new Headers();
  for (const [name, lines = []] of Object.entries(headersDistinct)) {
    if (!name.startsWith(':')) for (const line of lines) headers.append(name, line);
  }
  const [authority] = headersDistinct[':authority'] ?? [];
  if (authority !== undefined && !headers.has('host')) headers.set('host', authority);
  return headers;
}
