import type { IncomingMessage } from 'node:http';

/** One request as it arrived, byte for byte. */
export interface Received {
  method: string;
  /** Path and query from the request line. */
  path: string;
  /** What the request line and the Host header say together. */
  url: string;
  headers: Record<string, string>;
  rawBody: Buffer;
  body: Record<string, unknown>;
}

/** Reads a webhook to its end. @throws {Error} when its body is no JSON, or it breaks off. */
export async function readReceived(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const rawBody = Buffer.concat(chunks);
  const path = request.url ?? '';
  return {
    method: request.method ?? '',
    path,
    url: `http://${request.headers.host ?? ''}${path}`,
    headers: request.headers as Record<string, string>,
    rawBody,
    body: JSON.parse(rawBody.toString('utf8')) as Record<string, unknown>,
  };
}
