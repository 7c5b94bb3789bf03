import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A process of receivers, so that they cost the sender nothing but what a network would: `webhooks-receivers.ts COUNT`
 * opens so many ports, tells them to its parent, and reports what arrives. The parent sends `{hang: n}` to have the first
 * n ports never answer.
 */
export type ReceiversReport = { ports: number[] } | { arrived: number; latenciesMs: number[] };

const count = Number(process.argv[2]);
const REPORT_EVERY_MS = 50;
let hanging = 0;
let arrived = 0;
let latenciesMs: number[] = [];

const report = (message: ReceiversReport) => process.send?.(message);
const ports = await Promise.all(Array.from({ length: count }, (_, place) => open(place)));
report({ ports });
process.on('message', ({ hang }: { hang: number }) => {
  hanging = hang;
});
process.on('disconnect', () => process.exit());
setInterval(() => {
  if (arrived === 0) return;
  report({ arrived, latenciesMs });
  arrived = 0;
  latenciesMs = [];
}, REPORT_EVERY_MS);

async function open(place: number): Promise<number> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (place < hanging) return;
      const sentAt = /"sent_at":([0-9.]+)/.exec(Buffer.concat(chunks).toString('utf8'))?.[1];
      arrived++;
      if (sentAt !== undefined) latenciesMs.push(performance.timeOrigin + performance.now() - Number(sentAt));
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1', 1024);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
