import { once } from 'node:events';
import { createServer } from 'node:net';
import { until } from '../../support/until.ts';

/** Beside the addresses that the fixtures' processes had, and go on with. */
const TURN = { host: '127.83.11.9', port: 18079 };

/** Longer than all who may be before us take together, in milliseconds. */
const WAIT_MS = 30 * 60_000;

/**
 * What a release left goes on at the addresses it had, which one test of this machine can have at a time: waits for the
 * others, such as another run of these tests. Answers how to let the next one go on.
 */
export async function machineTurn(): Promise<() => Promise<void>> {
  const held = await until(async () => {
    const server = createServer();
    server.listen(TURN);
    try {
      await once(server, 'listening');
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
      throw error;
    }
  }, WAIT_MS);
  return async () => {
    held.close();
    await once(held, 'close');
  };
}
