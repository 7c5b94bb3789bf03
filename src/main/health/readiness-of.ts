import { within } from '../../platform/within.ts';
import type { Core } from '../wiring/compose.ts';
import { degradedIn } from './findings.ts';

/** How long each part may take to answer, in milliseconds. */
const ANSWERS_WITHIN_MS = 2_000;

export interface Readiness {
  /** Whether whoever sends work here should. */
  isReady: boolean;
  /** What is told of it. */
  states: Record<string, unknown>;
}

/**
 * Whether a process can do its work: its store and its queue answer. Ad servers, queues that an operator has paused, and what else is
 * not as it should be are told of, and keep nobody away.
 */
export async function readinessOf(core: Core): Promise<Readiness> {
  const { store, queues, sales } = core;
  const inTime = <T>(asked: Promise<T>) => within(ANSWERS_WITHIN_MS, asked, () => undefined).catch(() => undefined);
  const answered = async (ping: Promise<void>) => (await inTime(ping.then(() => true))) === true;
  const [hasStore, hasQueue] = await Promise.all([answered(store.ping()), answered(queues.ping())]);
  const ad_servers = hasStore ? await inTime(sales.orders.states()) : undefined;
  const found = hasStore && hasQueue ? await inTime(degradedIn(core)) : undefined;
  // Nobody is told that all is well where that is not known.
  const late = [{ part: 'health', why: `looks at this process did not end within ${ANSWERS_WITHIN_MS / 1000} s` }];
  const notWell = hasStore && hasQueue ? (found ?? late) : [];
  const degraded = notWell.length === 0 ? undefined : notWell;
  const states = { store: hasStore ? 'ok' : 'away', queue: hasQueue ? 'ok' : 'away', ad_servers, degraded };
  return { isReady: hasStore && hasQueue, states };
}
