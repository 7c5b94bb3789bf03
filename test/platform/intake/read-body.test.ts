import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { HTTP_STATUS } from '../../../src/platform/http-status.ts';
import { countedIn, readBody } from '../../../src/platform/intake/read-body.ts';
import { createUnfinishedBytes } from '../../../src/platform/intake/unfinished-bytes.ts';
import { openBudgets } from '../../support/open-budgets.ts';

const LIMIT = 100_000;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that reads bodies, and a way to send it some. `x-address` stands for where a request is from, `x-stranger` for nobody known. */
async function served(most: { ofAll: number; ofStrangers?: number } = { ofAll: 250_000 }) {
  const { budgets, close } = openBudgets({ sizes: { unfinished_bytes: 0.15 } });
  closers.push(close);
  const unfinished = createUnfinishedBytes({ budgets, clock: systemClock, ...most });
  const server = createServer((request, response) => {
    const from = Object.assign(request, { ip: request.headers['x-address'] as string | undefined });
    countedIn(unfinished, from);
    readBody(from, LIMIT, { isStranger: 'x-stranger' in request.headers }).then(
      (bytes) => response.end(String(bytes.length)),
      (error: unknown) => {
        const code = error instanceof AppError ? error.code : 'INTERNAL_ERROR';
        response.writeHead(HTTP_STATUS[code]).end(error instanceof AppError ? JSON.stringify(error.toBody()) : '');
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const begin = (headers: Record<string, string>): ClientRequest =>
    httpRequest({ port, method: 'POST', headers: { 'x-address': '192.0.2.1', ...headers } });
  const send = async (body: Buffer | string, headers: Record<string, string> = {}) => {
    const sent = begin(headers);
    sent.end(body);
    return answerOf(sent);
  };
  return { unfinished, begin, send };
}

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; text: string }> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  return { status: answer.statusCode, text };
}

/** Begins a body of 90,000 bytes that does not end, and waits until the server has them. */
async function halfSent(
  { begin, unfinished }: Awaited<ReturnType<typeof served>>,
  address: string,
  headers: Record<string, string> = {},
) {
  const before = unfinished.held();
  const sent = begin({ 'x-address': address, 'content-length': '95000', ...headers });
  sent.on('error', () => undefined);
  sent.write(Buffer.alloc(90_000));
  await expect.poll(() => unfinished.held(), { timeout: 60_000 }).toBe(before + 90_000);
  return sent;
}

describe('the body of a request', () => {
  it('is read whole, plain and compressed, and is empty where there is none', async () => {
    const { send, unfinished } = await served();
    const bytes = Buffer.alloc(LIMIT, 'ab');
    expect(await send(bytes)).toEqual({ status: 200, text: String(LIMIT) });
    expect(await send(gzipSync(bytes), { 'content-encoding': 'gzip' })).toMatchObject({ text: String(LIMIT) });
    expect(await send(deflateSync(bytes), { 'content-encoding': 'deflate' })).toMatchObject({ text: String(LIMIT) });
    expect(await send(brotliCompressSync(bytes), { 'content-encoding': 'BR' })).toMatchObject({ text: String(LIMIT) });
    expect(await send('')).toEqual({ status: 200, text: '0' });
    expect(unfinished.held()).toBe(0);
  });

  it('[S1] is refused beyond its limit, as it came and as it unpacks', async () => {
    const { send, unfinished } = await served();
    expect(await send(Buffer.alloc(LIMIT + 1))).toMatchObject({ status: 413 });
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(LIMIT);
    expect(await send(bomb, { 'content-encoding': 'gzip' })).toMatchObject({ status: 413 });
    expect(unfinished.held()).toBe(0);
  });

  it('is refused when it is not compressed as it says, or in a way that nobody reads', async () => {
    const { send } = await served();
    expect(await send('no gzip', { 'content-encoding': 'gzip' })).toMatchObject({ status: 400 });
    expect(await send(gzipSync('x').subarray(0, 12), { 'content-encoding': 'gzip' })).toMatchObject({ status: 400 });
    for (const encoding of ['zstd', 'gzip, gzip', 'constructor'])
      expect(await send('x', { 'content-encoding': encoding })).toMatchObject({ status: 415 });
  });

  it('[S1] half-sent, counts against its address, a whole IPv6 /64 as one, until it ends or goes', async () => {
    const at = await served();
    const first = await halfSent(at, '2001:db8::1');
    const refused = await at.send(Buffer.alloc(90_000), { 'x-address': '2001:db8::2' });
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject({
      message: expect.stringContaining('finish those first') as string,
      retry_after: 30,
      details: { budget: { name: 'unfinished_bytes', size: 0.15, free_at: expect.any(String) as string } },
    });
    expect(await at.send(Buffer.alloc(90_000), { 'x-address': '2001:db8:0:1::2' })).toMatchObject({ status: 200 });
    expect(await at.send('small', { 'x-address': '2001:db8::3' })).toMatchObject({ status: 200 });
    first.destroy();
    await expect.poll(() => at.unfinished.held(), { timeout: 60_000 }).toBe(0);
    expect(await at.send(Buffer.alloc(90_000), { 'x-address': '2001:db8::2' })).toMatchObject({ status: 200 });
  });

  it('[S1] half-sent by many addresses, does not fill the process', async () => {
    const at = await served();
    await halfSent(at, '192.0.2.1');
    const other = await halfSent(at, '192.0.2.2');
    const refused = await at.send(Buffer.alloc(90_000), { 'x-address': '192.0.2.3' });
    expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('250000 bytes') as string });
    other.end(Buffer.alloc(5_000));
    expect(await answerOf(other)).toEqual({ status: 200, text: '95000' });
    expect(await at.send(Buffer.alloc(90_000), { 'x-address': '192.0.2.3' })).toMatchObject({ status: 200 });
  });

  it('[S1] half-sent by many strangers, leaves room for who is known', async () => {
    const at = await served({ ofAll: 400_000, ofStrangers: 200_000 });
    const stranger = { 'x-stranger': '' };
    const first = await halfSent(at, '192.0.2.1', stranger);
    await halfSent(at, '192.0.2.2', stranger);
    const full = { status: 503, text: expect.stringContaining('callers nobody knows') as string };
    expect(await at.send(Buffer.alloc(90_000), { 'x-address': '192.0.2.3', ...stranger })).toMatchObject(full);
    expect(await at.send(Buffer.alloc(90_000), { 'x-address': '192.0.2.3' })).toMatchObject({ status: 200 });
    first.end(Buffer.alloc(5_000));
    expect(await answerOf(first)).toEqual({ status: 200, text: '95000' });
    expect(await at.send(Buffer.alloc(90_000), { 'x-address': '192.0.2.3', ...stranger })).toMatchObject({
      status: 200,
    });
  });
});
