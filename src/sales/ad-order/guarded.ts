import type { AdServer } from '../ad-server/ad-server.ts';
import { Unreachable } from '../ad-server/faults.ts';
import type { Breaker } from './breaker.ts';

type Asked = Pick<AdServer, 'read' | 'statements' | 'describe'>;

/** The ad server for who only asks: nothing is sent while its breaker is open, and every failure counts. */
export function guarded(adServer: Asked, breaker: Breaker): Asked {
  async function ask<T>(call: () => Promise<T>): Promise<T> {
    if (await breaker.isOpen()) throw new Unreachable('the ad server cannot be reached', { sent: 'no' });
    try {
      const answer = await call();
      await breaker.answered();
      return answer;
    } catch (error) {
      await breaker.failed(error);
      throw error;
    }
  }
  return {
    read: (media_buy_id) => ask(() => adServer.read(media_buy_id)),
    statements: (query) => ask(() => adServer.statements(query)),
    describe: () => ask(() => adServer.describe()),
  };
}
