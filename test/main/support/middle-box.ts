import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MiddleBox {
  url: string;
  close(): Promise<void>;
}

/**
 * Stands between a buyer and an agent and passes everything on, but has the agent's webhooks sent to itself: forges them
 * on their way to the buyer, or loses them.
 */
export async function openMiddleBox(agentUrl: string, mischief: 'forges' | 'loses'): Promise<MiddleBox> {
  let buyersHook = '';
  const server = createServer((request, response) => {
    handle(request)
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
        response.end(Buffer.from(await answer.arrayBuffer()));
      })
      .catch(() => {
        response.writeHead(502).end();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage): Promise<Response> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = 'GET', url: path = '/' } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
    ) as Record<string, string>;
    if (method === 'GET') return fetch(agentUrl + path, { headers });
    if (path === '/hook') {
      if (mischief === 'loses') return new Response(null, { status: 200 });
      return fetch(buyersHook, { method, headers, body: body.replace('"media-buy"', '"media-bug"') });
    }
    const rerouted = body.replace(/http:\/\/[^"]+\/webhooks/, (hook) => {
      buyersHook = hook;
      return `${url}/hook`;
    });
    return fetch(agentUrl + path, { method, headers, body: rerouted });
  }

  return {
    url,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
