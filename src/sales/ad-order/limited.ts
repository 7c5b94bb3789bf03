import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { DestinationGate, GateSettings } from '../../platform/redis/destination-gate.ts';
import type { AdOrder } from '../ad-server/ad-order.ts';
import type { AdServer } from '../ad-server/ad-server.ts';
import { Unreachable } from '../ad-server/faults.ts';

/** Calls on their way to one ad server at once, of all processes together. */
const CALLS_AT_ONCE = 4;
/** Of an ad server that has not said yet what it bears. */
const UNKNOWN_CALLS_PER_SECOND = 1;
/** While nobody counts for all, each process takes this part of what all may: right for up to so many processes. */
const SHARED_BY = 4;
/** How often a call that waits asks again, in milliseconds. */
const ASKS_AGAIN_MS = { least: 5, most: 100 };

/** Of the gate that a limited ad server stands behind. A call lasts 30 s at most: what is out longer has lost its process. */
export const AD_SERVER_GATE: Partial<GateSettings> = {
  ...{ maxInFlight: CALLS_AT_ONCE, maxInFlightUnproven: CALLS_AT_ONCE, maxInFlightSuspect: CALLS_AT_ONCE },
  burstMs: 0,
  forgetAfterMs: 35_000,
};

export interface LimitedDependencies {
  adServer: AdServer;
  ad_server_id: string;
  /** Made with {@link AD_SERVER_GATE}, and shared by all processes. */
  gate: Pick<DestinationGate, 'enter' | 'leave'>;
  clock: Clock;
  /** Whether its breaker is open: then calls that wait are not made any more, but for the question what it can do. Default: never. */
  isAway?: () => Promise<boolean>;
  /** Default: real time. Rejects once the signal is aborted. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** An ad server that is called no more often than it bears. */
export interface LimitedAdServer {
  adServer: AdServer;
  /** Calls that wait are not made any more. */
  close(): void;
}

/**
 * All processes together make at most four calls at once and `limits.calls_per_second` of its description, evenly spaced; others wait,
 * and of one process those that stop an order go first. While the gate cannot count, each process makes one call at once and a
 * quarter as many a second: orders go on, slower.
 */
export function limitedAdServer(dependencies: LimitedDependencies): LimitedAdServer {
  const { adServer, ad_server_id, gate, clock, isAway = () => Promise.resolve(false) } = dependencies;
  const { pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }) } = dependencies;
  const { signal, ...stopping } = abortable();
  const places = createPlaces(CALLS_AT_ONCE);
  const share = createShare();
  const destination = `ad server ${ad_server_id}`;
  let ratePerSecond = UNKNOWN_CALLS_PER_SECOND;

  /** Waits for leave to make one call; answers what ends it. @throws {Unreachable} once it is known to be away. */
  async function enter(isProbe: boolean): Promise<() => Promise<void>> {
    for (;;) {
      signal.throwIfAborted();
      if (!isProbe && (await isAway())) throw new Unreachable('the ad server cannot be reached', { sent: 'no' });
      const verdict = await gate.enter(destination, clock.now(), { ratePerSecond });
      if (verdict.allowed) {
        const { permit, isCounted } = verdict;
        const endShare = isCounted ? undefined : await share(ownTurn);
        return async () => {
          endShare?.();
          await gate.leave(destination, permit, { outcome: 'unknown', nowMs: clock.now(), tookMs: 0 });
        };
      }
      const waitMs = Math.min(Math.max(verdict.waitMs, ASKS_AGAIN_MS.least), ASKS_AGAIN_MS.most);
      await pause(waitMs, signal);
    }
  }

  let nextOwnAtMs = 0;
  async function ownTurn(): Promise<void> {
    const waitMs = nextOwnAtMs - clock.now();
    if (waitMs > 0) await pause(waitMs, signal);
    nextOwnAtMs = clock.now() + (SHARED_BY * 1000) / ratePerSecond;
  }

  async function call<T>(ask: () => Promise<T>, { isUrgent = false, isProbe = false } = {}): Promise<T> {
    const free = await places(isUrgent || isProbe);
    try {
      const leave = await enter(isProbe);
      try {
        return await ask();
      } finally {
        await leave();
      }
    } finally {
      free();
    }
  }

  const forecast = adServer.forecast?.bind(adServer);
  const inventory = adServer.inventory?.bind(adServer);
  return {
    adServer: {
      async describe() {
        const description = await call(() => adServer.describe(), { isProbe: true });
        ratePerSecond = description.limits.calls_per_second;
        return description;
      },
      check: (order) => call(() => adServer.check(order)),
      put: (order) => call(() => adServer.put(order), { isUrgent: isStop(order) }),
      read: (media_buy_id) => call(() => adServer.read(media_buy_id)),
      statements: (query) => call(() => adServer.statements(query)),
      putCreative: (creative) => call(() => adServer.putCreative(creative)),
      ...(forecast && { forecast: (query) => call(() => forecast(query)) }),
      ...(inventory && { inventory: (cursor) => call(() => inventory(cursor)) }),
    },
    close: stopping.abort,
  };
}

function isStop({ state }: AdOrder): boolean {
  return state === 'paused' || state === 'ended';
}

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: () => {
      controller.abort(new Error('stopped before the ad server was called'));
    },
  };
}

/** So many places in this process: whoever is urgent comes first, then whoever came first. Answers what gives one back. */
function createPlaces(count: number): (isUrgent: boolean) => Promise<() => void> {
  let free = count;
  const waiting: { urgent: (() => void)[]; others: (() => void)[] } = { urgent: [], others: [] };
  const giveBack = () => {
    const next = waiting.urgent.shift() ?? waiting.others.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async (isUrgent) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting[isUrgent ? 'urgent' : 'others'].push(resolve));
    return giveBack;
  };
}

/** One at a time: each begins once the one before has ended. */
function createShare(): (begin: () => Promise<void>) => Promise<() => void> {
  let last = Promise.resolve();
  return async (begin) => {
    const before = last;
    let end = (): void => undefined;
    last = new Promise((resolve) => (end = resolve));
    await before;
    try {
      await begin();
    } catch (error) {
      end();
      throw error;
    }
    return end;
  };
}
