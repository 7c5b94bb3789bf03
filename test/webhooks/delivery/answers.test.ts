import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { createTargetGate } from '../../../src/platform/redis/target-gate-redis.ts';
import type { TargetGate } from '../../../src/platform/redis/target-gate.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { organizationId } from '../../support/ids.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

/** Each row has an origin of its own, and time that passes only when it is told to. */
let gate: TargetGate;
let sender: Sender;
/** The same, which gives an answer no more than 5 s: for receivers that never end one. */
let hasty: Sender;
beforeAll(async () => {
  const options = { connection: process.env['REDIS_TEST_URL'] ?? '', prefix: `t-${randomUUID()}` };
  gate = createTargetGate({ ...options, logger: createLogger('error') });
  sender = await openSender({ gate });
  hasty = await openSender({ gate, timeouts: { connectTimeoutMs: 5_000, totalTimeoutMs: 5_000 } });
});
afterAll(async () => {
  await sender.close();
  await hasty.close();
  await gate.close();
});

/** What the receiver writes to the socket once the request has begun to come. */
type Wire = (socket: Socket) => void;

/** The gate remembers targets by their port: no test is to have one that another had. */
const ports = new Set<number>();

async function listening(wire: Wire): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      wire(socket);
    });
  });
  await listenAnew(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function listenAnew(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (!ports.has(port)) {
    ports.add(port);
    return;
  }
  server.close();
  await once(server, 'close');
  await listenAnew(server);
}

async function attempted(wire: Wire, by = sender): Promise<Delivery> {
  const run = await storedRun(by, [registration(await listening(wire))]);
  await by.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
  return by.attempt(await by.deliveryOf(run.task_id));
}

/** How long the row waits, in milliseconds; null when it is over. */
const waitOf = ({ next_attempt_at }: Delivery, by = sender) =>
  next_attempt_at === null ? null : Date.parse(next_attempt_at) - by.clock.now();

/** For how long its target is closed to other events. */
async function closedMs({ destination }: Delivery): Promise<number> {
  const { closed_until } = await sender.webhooks.operator.destination(destination);
  return closed_until === undefined ? 0 : closed_until - sender.clock.now();
}

const answer =
  (status: number | string, headers: Record<string, string> = {}, body = ''): Wire =>
  (socket) => {
    const lines = Object.entries({ 'content-length': String(body.length), connection: 'close', ...headers });
    socket.end(`HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
  };
const raw =
  (text: string): Wire =>
  (socket) =>
    socket.end(text);
/** Writes again and again until it is hung up on. */
const pouring =
  (head: string, more: string): Wire =>
  (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(more), 20);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };

describe('[W6] what an answer leads to', () => {
  it.each([200, 204, 299])('[W6] %d is a delivery', async (code) => {
    const row = await attempted(answer(code));
    expect([row.state, waitOf(row), await closedMs(row)]).toEqual(['delivered', null, 0]);
  });

  it.each([301, 302, 304, 307, 308, 400, 403, 404, 409, 413, 418, 422])('[W6] %d ends the delivery', async (code) => {
    const row = await attempted(answer(code, { location: '/elsewhere' }));
    expect([row.state, waitOf(row), await closedMs(row)]).toEqual(['rejected', null, 0]);
  });

  it('[W6] 410 ends the registration', async () => {
    const row = await attempted(answer(410));
    expect([row.state, waitOf(row)]).toEqual(['gone', null]);
    expect((await sender.runOf(row.task_id)).registrations[0]?.ended_at).toBeDefined();
  });

  it.each<[string, Wire, string]>([
    ['401', answer(401), 'failed'],
    ['401 with a challenge', answer(401, { 'www-authenticate': 'Signature error="x"' }), 'failed'],
    ['408', answer(408), 'failed'],
    ['425', answer(425), 'failed'],
    ['429', answer(429), 'failed'],
    ['500', answer(500), 'failed'],
    ['503', answer(503), 'failed'],
    ['600', answer(600), 'failed'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'connection_error'],
    [
      'a reset in the body',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab', () => socket.resetAndDestroy()),
      'connection_error',
    ],
    ['no http', raw('220 smtp.example ready\r\n'), 'connection_error'],
    ['a bad chunk', raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab\r\n'), 'connection_error'],
    ['two lengths', raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'), 'connection_error'],
    ['a head without an end', pouring('HTTP/1.1 200 OK\r\n', `x: ${'y'.repeat(8000)}\r\n`), 'connection_error'],
  ])('[W6] %s is tried again after 5 s', async (_what, wire, status) => {
    const row = await attempted(wire);
    expect([row.state, waitOf(row), await closedMs(row)]).toEqual(['pending', 5000, 0]);
    expect(row.attempts).toMatchObject([{ status }]);
  });

  it('[W8] what never ends is a timeout, and tried again after 5 s', async () => {
    const endless: Wire[] = [
      () => undefined,
      pouring('HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n', '.'),
      pouring('HTTP/1.1 200 OK\r\nx: ', 'y'),
    ];
    const rows = await Promise.all(endless.map((wire) => attempted(wire, hasty)));
    expect(rows.map((row) => [row.state, row.attempts[0]?.status, waitOf(row, hasty)])).toEqual([
      ['pending', 'timeout', 5000],
      ['pending', 'timeout', 5000],
      ['pending', 'timeout', 5000],
    ]);
  });

  it.each<[string, Wire]>([
    [
      '102 and 103 before it',
      raw('HTTP/1.1 102 X\r\n\r\nHTTP/1.1 103 X\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['HTTP/1.0', raw('HTTP/1.0 200 OK\r\n\r\nyes')],
    ['an answer too many', raw('HTTP/1.1 204 X\r\n\r\nHTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n')],
    ['gzip that is none', answer(200, { 'content-encoding': 'gzip' }, 'plain')],
    ['a body without an end', pouring('HTTP/1.1 200 OK\r\n\r\n', 'z'.repeat(8192))],
  ])('[W6] [W8] 2xx with %s is a delivery', async (_what, wire) => {
    expect((await attempted(wire)).state).toBe('delivered');
  });
});

describe('[W7.retry-after] Retry-After', () => {
  const inEight = () => new Date(sender.clock.now() + 8000).toUTCString();

  it.each<[number, string, number, number]>([
    // What is asked, when the event goes again, and for how long its target is closed to others.
    [429, '7', 7000, 7000],
    [503, '9', 9000, 9000],
    [429, '2', 5000, 2000],
    [429, '600', 10_000, 10_000],
    [503, '999999999', 10_000, 10_000],
    [429, 'abc', 5000, 0],
    [429, '-5', 5000, 0],
    [500, '600', 5000, 0],
    [401, '600', 5000, 0],
    [408, '600', 5000, 0],
    [425, '600', 5000, 0],
  ])('[W7.retry-after] of %d that says %s counts up to twice the step', async (code, asked, wait, closed) => {
    const row = await attempted(answer(code, { 'retry-after': asked }));
    expect([waitOf(row), await closedMs(row)]).toEqual([wait, closed]);
  });

  it.each([200, 204, 301, 403, 404, 410])('[W7.retry-after] of %d is not read', async (code) => {
    expect(await closedMs(await attempted(answer(code, { 'retry-after': '600' })))).toBe(0);
  });

  it('[W7.retry-after] may be a date', async () => {
    const row = await attempted(answer(503, { 'retry-after': inEight() }));
    const wait = waitOf(row) ?? 0;
    expect(wait).toBeGreaterThan(6999);
    expect(wait).toBeLessThan(8001);
    expect(await closedMs(row)).toBe(wait);
  });

  it('[W7.retry-after] [W18] closes nothing but that organization’s target', async () => {
    let isAsking = false;
    const url = await listening((socket) => {
      answer(isAsking ? 429 : 200, { 'retry-after': '600' })(socket);
    });
    const toPath = async (path: string, changes: Partial<TaskRun> = {}): Promise<Delivery> => {
      const run = await storedRun(sender, [registration(`${new URL(url).origin}${path}`)], changes);
      await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
      return sender.attempt(await sender.deliveryOf(run.task_id));
    };
    await toPath('/hook');
    isAsking = true;
    await toPath('/hook/evil-1');
    isAsking = false;
    expect((await toPath('/hook/evil-2')).attempts).toEqual([]);
    expect((await toPath('/hook')).state).toBe('delivered');
    expect((await toPath('/hook/evil-3', { organization_id: organizationId('neighbour') })).state).toBe('delivered');
    sender.clock.advance(10_001);
    expect((await toPath('/hook/evil-2')).state).toBe('delivered');
  });
});
