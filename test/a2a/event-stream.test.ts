import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { beginEventStream, eventText } from '../../src/a2a/event-stream.ts';
import { readiness } from '../../src/platform/readiness.ts';
import { until } from '../support/until.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

/** A stream to a client that takes nothing until it is resumed. */
async function openStream(): Promise<{ response: ServerResponse; client: IncomingMessage }> {
  const arrived: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    beginEventStream(response, 60_000);
    arrived.push(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = httpRequest({ port: (server.address() as AddressInfo).port, agent: false });
  asking.end();
  const [client] = (await once(asking, 'response')) as [IncomingMessage];
  client.pause();
  cleanUp.push(async () => {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const [response] = arrived;
  if (response === undefined) throw new Error('no request');
  return { response, client };
}

it('a slow reader costs one buffer however much there is to tell, and gets everything in the end', async () => {
  const { response, client } = await openStream();
  const ready = readiness(response);
  const text = 'x'.repeat(100_000);
  const events = 200;
  let written = 0;
  let most = 0;
  const writing = (async () => {
    for (; written < events; written++) {
      await ready();
      response.write(eventText({ n: written, text }));
      most = Math.max(most, response.writableLength);
    }
    response.end();
  })();
  await until(() => response.writableNeedDrain);
  const numbers: number[] = [];
  let buffer = '';
  for await (const chunk of client) {
    buffer += String(chunk);
    const whole = buffer.split('\n\n');
    buffer = whole.pop() ?? '';
    for (const event of whole) numbers.push((JSON.parse(event.slice('data: '.length)) as { n: number }).n);
  }
  await writing;
  expect(numbers).toEqual(Array.from({ length: events }, (_, n) => n));
  expect(most).toBeLessThan(3 * text.length);
});

it('a client that takes nothing for too long is given up', async () => {
  const { response } = await openStream();
  const ready = readiness(response, 50);
  const closed = once(response, 'close');
  // The system's own buffers take some of it, at first.
  while (!response.destroyed) {
    response.write('x'.repeat(100_000));
    await ready();
  }
  await closed;
  expect(response.destroyed).toBe(true);
});
