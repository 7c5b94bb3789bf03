import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { sendPieces } from '../../src/registry/http/send-pieces.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

/** A server of answers without end, each of which holds a place until it is over, and a client that reads nothing. */
async function answering(
  stallMs: number | undefined,
  requests = 1,
): Promise<{ ended: Promise<unknown>; client: Socket }> {
  const places: Promise<void>[] = [];
  const letGo: (() => void)[] = [];
  for (let i = 0; i < requests; i++) places.push(new Promise((resolve) => letGo.push(resolve)));
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  async function* pieces(signal: AbortSignal): AsyncGenerator<string> {
    const done = letGo.pop();
    if (letGo.length === 0) begin();
    try {
      while (!signal.aborted) {
        await nextTurn();
        yield 'x'.repeat(100_000);
      }
    } finally {
      done?.();
    }
  }
  const server = createServer((_request, response) => {
    void sendPieces(response, pieces, stallMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
  cleanUp.push(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  await begun;
  return { ended: Promise.all(places), client };
}

it('[R15.export] gives up a client that takes nothing for too long, and lets go of what its answer held', async () => {
  const { ended, client } = await answering(50);
  await ended;
  const closed = once(client, 'close');
  client.resume();
  await closed;
  expect(client.bytesRead).toBeGreaterThan(0);
});

it('[R15.export] lets go of an answer that waits behind another one, when nothing is taken or the connection closes', async () => {
  await (
    await answering(50, 2)
  ).ended;
  const { ended, client } = await answering(undefined, 2);
  client.destroy();
  expect(await ended).toHaveLength(2);
});
