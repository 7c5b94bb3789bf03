import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { OutboundResult } from '../../../src/platform/outbound/outbound-result.ts';
import { withMoreTime } from '../../support/with-more-time.ts';
import { holdUp } from '../support/hold-up.ts';
import { outbound } from './support/client.ts';

/** What the receiver's state says; it answers only once this process stands still. */
const [HELD_UP, ANSWERED] = [1, 2];

const RECEIVER = `
  const { parentPort, workerData: state } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.once('data', () => {
      parentPort.postMessage('asked');
      Atomics.wait(state, 0, 0);
      socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok', () => {
        Atomics.store(state, 0, ${ANSWERED});
        Atomics.notify(state, 0);
      });
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

it('[W8] an answer that came in time counts, though its process stood still until time had run out', async () => {
  const result = await withMoreTime(answeredMeanwhile, ({ wasAsked }) => wasAsked);
  expect(result).toMatchObject({ wasAsked: true, kind: 'response', status: 200 });
});

/** What becomes of a request whose answer comes while its process stands still for longer than it waits. */
async function answeredMeanwhile(totalTimeoutMs: number): Promise<OutboundResult & { wasAsked: boolean }> {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const receiver = new Worker(RECEIVER, { eval: true, workerData: state });
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    const asked = once(receiver, 'message').then(() => true);
    const sent = outbound().send({ url: `http://127.0.0.1:${port}/`, method: 'POST', body: '{}', totalTimeoutMs });
    const wasAsked = await Promise.race([asked, sent.then(() => false)]);
    if (wasAsked) {
      Atomics.store(state, 0, HELD_UP);
      Atomics.notify(state, 0);
      Atomics.wait(state, 0, HELD_UP);
      holdUp(totalTimeoutMs);
    }
    return { ...(await sent), wasAsked };
  } finally {
    await receiver.terminate();
  }
}
