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
 * Whether a process can do its work: its store and its queue answer, and it has keys to sign with. Ad servers, queues that an operator has paused, and what else is
 * not as it should be are told of, and keep nobody away.
 */
export async function readinessOf(core: Core): Promise<Readiness> {
  const { store, queues, sales, webhooks } = core;
  const inTime = <T>(asked: Promise<T>) => within(ANSWERS_WITHIN_MS, asked, () => undefined).catch(() => undefined);
  const answered = async (ping: Promise<unknown>) => (await inTime(ping.then(() => true))) === true;
  const [hasStore, hasQueue] = await Promise.all([answered(store.ping()), answered(queues.ping())]);
  // Those at hand are kept while the store is away; whether there are any is not known then.
  const signs = () => answered(Promise.all([webhooks.keys.signer(), webhooks.keys.webhookSigner()]));
  const [hasKeys, ad_servers, found] = await Promise.all([
    hasStore && signs(),
    hasStore ? inTime(sales.orders.states()) : undefined,
    hasStore && hasQueue ? inTime(degradedIn(core)) : undefined,
  ]);
  // Nobody is told that all is well where that is not known.
  const late = [{ part: 'health', why: `looks at this process did not end within ${ANSWERS_WITHIN_MS / 1000} s` }];
  const notWell = hasStore && hasQueue ? (found ?? late) : [];
  const degraded = notWell.length === 0 ? undefined : notWell;
  const parts = { store: hasStore ? 'ok' : 'away', queue: hasQueue ? 'ok' : 'away' };
  const signing_keys = hasStore ? (hasKeys ? 'ok' : 'none') : undefined;
  return { isReady: hasStore && hasQueue && hasKeys, states: { ...parts, signing_keys, ad_servers, degraded } };
}
