import type { World, WorldClock, WorldFailure } from '../../../../src/adservers/kit/world.ts';
import type { AdServer } from '../../../../src/sales/ad-server/ad-server.ts';
import { Misconfigured, Unreachable } from '../../../../src/sales/ad-server/faults.ts';

/** How long a caller waits for an answer, in milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

/**
 * The way to an embedded ad server, which can fail as a network does. The faults are made here, so that cases 24 to 29 prove of
 * it what comes after a fault, and nothing of how one is told: that is proved over the bridge.
 */
export function createWire(clock: WorldClock) {
  let failure: WorldFailure | undefined;
  let lost = 0;
  let delayMs = 0;
  /** Lets the one go that is on its way for longer than the call after it. */
  let release: (() => void) | undefined;

  async function carry<T>(ask: () => Promise<T>): Promise<T> {
    const fault = faultNow();
    if (fault !== undefined) throw fault;
    if (delayMs > CALL_TIMEOUT_MS) {
      delayMs = 0;
      await ask();
      await clock.advance?.(CALL_TIMEOUT_MS);
      throw new Unreachable('no answer within 30 s', { sent: 'unknown' });
    }
    if (delayMs > 0) {
      delayMs = 0;
      await new Promise<void>((resolve) => (release = resolve));
      return await ask();
    }
    const isLost = lost > 0;
    if (isLost) lost -= 1;
    try {
      const answer = await ask();
      if (isLost) throw new Unreachable('the connection was reset', { sent: 'unknown' });
      return answer;
    } finally {
      release?.();
      release = undefined;
    }
  }

  function faultNow(): Error | undefined {
    if (failure === undefined) return undefined;
    if ('outage' in failure) return new Unreachable('503', { sent: 'no' });
    const { status, times, retry_after_s } = failure;
    failure = times > 1 ? { ...failure, times: times - 1 } : undefined;
    if (status === 401 || status === 403) return new Misconfigured(`${status}`);
    const retryAtMs = retry_after_s === undefined ? undefined : clock.now() + retry_after_s * 1000;
    return new Unreachable(`${status}`, { sent: 'unknown', ...(retryAtMs !== undefined && { retryAtMs }) });
  }

  const set = (change: () => void) => {
    change();
    return Promise.resolve();
  };
  const world: Pick<Required<World>, 'fail' | 'breakOff' | 'dropAnswers' | 'delay'> = {
    fail: (wanted) => set(() => (failure = wanted)),
    breakOff: (times) => set(() => (lost = times)),
    dropAnswers: (times) => set(() => (lost = times)),
    delay: (ms) => set(() => (delayMs = ms)),
  };
  return {
    world,
    calm() {
      [failure, lost, delayMs] = [undefined, 0, 0];
    },
    through: (adServer: AdServer): AdServer => ({
      describe: () => carry(() => adServer.describe()),
      check: (order) => carry(() => adServer.check(order)),
      put: (order) => carry(() => adServer.put(order)),
      read: (media_buy_id) => carry(() => adServer.read(media_buy_id)),
      statements: (query) => carry(() => adServer.statements(query)),
      putCreative: (creative) => carry(() => adServer.putCreative(creative)),
    }),
  };
}
