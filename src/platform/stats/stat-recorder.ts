import { toTimestamp } from '../clock.ts';
import type { Clock, Ids } from '../clock.ts';
import { DAY_MS } from '../hours.ts';
import type { Logger } from '../log.ts';
import { createSparingLog } from '../sparing-log.ts';
import type { Store } from '../store/collection.ts';
import { within } from '../within.ts';
import { countedSoFar, since } from './counted.ts';
import type { Counting } from './counted.ts';
import { StatSpans } from './stat-span.ts';
import type { StatSpan } from './stat-span.ts';

export const MINUTE_MS = 60_000;

/** How long a process's minute is kept, in milliseconds. */
const KEPT_MS = 8 * DAY_MS;

/** Minutes that are kept for a store that does not answer; of more, the oldest are given up. */
const MOST_UNWRITTEN = 60;

/** A process that ends waits so long for the store at most, in milliseconds. */
const STOP_WITHIN_MS = 2_000;

export interface StatRecorderDependencies extends Counting {
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Logger;
  /** How many jobs wait in all queues. */
  countQueued(): Promise<number>;
}

export interface StatRecorder {
  /** Writes what was counted since the last time, as of the minute that this was in. Nothing where there is nothing to tell. */
  record(): Promise<void>;
  /** Writes what is left, too. */
  stop(): Promise<void>;
}

/** Writes each minute what this process has counted, so that charts need nobody who scrapes. @see docs/metrics.md */
export function startStatRecorder(deps: StatRecorderDependencies): StatRecorder {
  const { clock, ids, log } = deps;
  const spans = deps.store.collection(StatSpans);
  const process = ids.newId();
  const sparing = createSparingLog();
  let before = countedSoFar(deps);
  let minuteMs = floorMinute(clock.now());
  /** A row is written until the store says that it has it: its id is the same each time, so that it is there once. */
  let unwritten: StatSpan[] = [];
  let writing = Promise.resolve();

  function take(queued: number): void {
    const now = countedSoFar(deps);
    const { counts, times } = since(before, now);
    const atMs = minuteMs;
    before = now;
    minuteMs = floorMinute(clock.now());
    if (queued === 0 && Object.keys(counts).length + Object.keys(times).length === 0) return;
    const at = toTimestamp(atMs);
    unwritten.push({
      ...{ stat_id: `minute ${at} ${process} ${ids.newId()}`, span: 'minute', at },
      ...{ counts, times, queued, expires_at: toTimestamp(atMs + KEPT_MS), revision: 1 },
    });
    unwritten = unwritten.slice(-MOST_UNWRITTEN);
  }

  async function write(): Promise<void> {
    take(await deps.countQueued().catch(() => 0));
    for (const row of [...unwritten]) {
      await spans.insert(row);
      unwritten = unwritten.filter((other) => other !== row);
    }
  }

  const record = () =>
    (writing = writing.then(write).catch((error: unknown) => {
      sparing('stats', (repeated) => {
        log.warn({ repeated, err: error }, 'what was counted could not be written; it is tried again in a minute');
      });
    }));

  let timer: NodeJS.Timeout;
  const later = () => {
    timer = setTimeout(
      () => {
        void record();
        later();
      },
      MINUTE_MS - (clock.now() % MINUTE_MS),
    ).unref();
  };
  later();
  return {
    record,
    async stop() {
      clearTimeout(timer);
      await within(STOP_WITHIN_MS, record(), () => undefined);
    },
  };
}

function floorMinute(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}
