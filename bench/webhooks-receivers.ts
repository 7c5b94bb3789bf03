import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A process of receivers, so that they cost the sender nothing but what a network would: `webhooks-receivers.ts COUNT`
 * opens so many ports, tells them to its parent, and reports what arrives and the processor time it has used so far. The parent
 * sends `{hang: n}` to have the first n ports never answer, `{down: true}` to have all of them refuse connections, and
 * `{down: false}` to have them back.
 */
export type ReceiversReport =
  | { ports: number[] }
  | { isDown: boolean }
  | { arrived: number; latenciesMs: number[]; behindMs: number[]; cpuMicros: number };

/** What the parent may ask for. */
export type ReceiversOrder = { hang: number } | { down: boolean };

const count = Number(process.argv[2]);
const REPORT_EVERY_MS = 50;
let hanging = 0;
let arrived = 0;
let latenciesMs: number[] = [];
/** By how much each was made before the newest one that had arrived at its receiver. */
let behindMs: number[] = [];
const newest: number[] = [];

// The bench may be over by now.
const report = (message: ReceiversReport) => process.send?.(message, () => undefined);
const servers = Array.from({ length: count }, (_, place) => receiver(place));
const ports = await Promise.all(servers.map((server) => listen(server, 0)));
report({ ports });
process.on('message', (order: ReceiversOrder) => {
  if ('hang' in order) hanging = order.hang;
  else void (order.down ? goDown() : comeBack());
});
process.on('disconnect', () => process.exit());
setInterval(() => {
  if (arrived === 0) return;
  const { user, system } = process.cpuUsage();
  report({ arrived, latenciesMs, behindMs, cpuMicros: user + system });
  arrived = 0;
  latenciesMs = [];
  behindMs = [];
}, REPORT_EVERY_MS);

function receiver(place: number): Server {
  return createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (place < hanging) return;
      const sentAt = /"sent_at":([0-9.]+)/.exec(Buffer.concat(chunks).toString('utf8'))?.[1];
      arrived++;
      if (sentAt !== undefined) note(place, Number(sentAt));
      response.writeHead(204).end();
    });
  });
}

function note(place: number, madeAt: number): void {
  latenciesMs.push(performance.timeOrigin + performance.now() - madeAt);
  newest[place] = Math.max(newest[place] ?? 0, madeAt);
  behindMs.push(newest[place] - madeAt);
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1', 1024);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function goDown(): Promise<void> {
  const closed = servers.map((server) => once(server, 'close'));
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await Promise.all(closed);
  report({ isDown: true });
}

async function comeBack(): Promise<void> {
  await Promise.all(servers.map((server, place) => listen(server, ports[place] ?? 0)));
  report({ isDown: false });
}
