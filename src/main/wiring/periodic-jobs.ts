import { setMaxListeners } from 'node:events';
import { operatorRanges } from '../../admin/operator/webhooks/resend-range.ts';
import { publishOverdue } from '../../directory/feed/announcing.ts';
import { forgetOldEvents } from '../../directory/feed/forget-old-events.ts';
import { keepSearchable } from '../../directory/search/keep-searchable.ts';
import { checkAgentsDue, crawlDue, readAdsTxtDue, readSellersJsonDue } from '../../registry/periodic-jobs.ts';
import { tellPublishers } from '../../registry/publisher-webhooks/look.ts';
import { rollUpHours } from '../../platform/stats/roll-up.ts';
import { effectsDue, recheckImpaired } from '../../sales/creative/effects.ts';
import { reviewDue } from '../../sales/creative/review/review-due.ts';
import { outageEffectsDue, recheckOutages } from '../../sales/property/decide-outage.ts';
import { sumTurnover } from '../../sales/turnover/sum-turnover.ts';
import type { Core } from './compose.ts';
import { adAgentsPlaces } from './adagents-places.ts';

interface PeriodicJob {
  /** How often it looks whether something is due. */
  everyMs: number;
  /** The signal aborts when the process is told to stop. */
  take: (core: Core, stop: AbortSignal) => Promise<unknown>;
}

/** A decision that its task has not acted on for this long has lost its wake-up. */
const UNACTED_MS = 10_000;
/** After this long, what a change of a creative leaves to do is taken to have lost the process that did it. */
const EFFECTS_OVERDUE_MS = 5_000;

/** Work that time brings, by name. Each looks into the store for what is due; several processes may do it at once. */
const PERIODIC_JOBS: Readonly<Record<string, PeriodicJob>> = {
  approvals: { everyMs: 500, take: ({ approvals }) => approvals.wakeDue(UNACTED_MS) },
  orders: { everyMs: 500, take: ({ sales }) => sales.courier.tellDue() },
  order_looks: { everyMs: 1_000, take: ({ sales }) => sales.orders.lookDue() },
  ad_server_probe: { everyMs: 5_000, take: ({ sales }) => sales.breaker.probeDue() },
  ad_server_fit: { everyMs: 1_000, take: ({ adServerWatch }) => adServerWatch.lookDue() },
  flights: { everyMs: 500, take: ({ sales }) => sales.flights.processDue() },
  creative_reviews: { everyMs: 500, take: ({ sales, log }) => reviewDue({ ...sales, log }) },
  creative_effects: { everyMs: 2_000, take: ({ sales }) => effectsDue(sales, EFFECTS_OVERDUE_MS) },
  resend_ranges: { everyMs: 2_000, take: (core) => operatorRanges(core).continueDue() },
  buyer_resend_ranges: { everyMs: 2_000, take: ({ webhooks, budgets }) => webhooks.buyer.ranges.continueDue(budgets) },
  property_effects: {
    everyMs: 2_000,
    take: ({ sales, catalog }) => outageEffectsDue({ ...sales, catalog }, EFFECTS_OVERDUE_MS),
  },
  outages: { everyMs: 30_000, take: ({ sales, catalog }) => recheckOutages({ ...sales, catalog }) },
  impairments: { everyMs: 10_000, take: ({ sales }) => recheckImpaired(sales) },
  reporting: { everyMs: 500, take: ({ reporting }) => reporting.processDue() },
  account_webhooks: { everyMs: 500, take: ({ accountWebhooks }) => accountWebhooks.tellDue() },
  webhook_troubles: { everyMs: 5_000, take: ({ webhooks }) => webhooks.troubles.process() },
  feed_retention: { everyMs: 5_000, take: (core) => forgetOldEvents(core, core.config.feedRetention) },
  // Each apart: strangers' agents that hang keep no publisher waiting.
  crawls: { everyMs: 2_000, take: (core, stop) => crawlDue(registryDeps(core), stop) },
  ads_txt: { everyMs: 2_000, take: (core, stop) => readAdsTxtDue(registryDeps(core), stop) },
  sellers_json: { everyMs: 2_000, take: (core, stop) => readSellersJsonDue(registryDeps(core), stop) },
  agent_checks: { everyMs: 2_000, take: (core, stop) => checkAgentsDue(registryDeps(core), stop) },
  publisher_webhooks: { everyMs: 2_000, take: (core) => tellPublishers(core) },
  registry_search: { everyMs: 2_000, take: (core, stop) => keepSearchable(core, stop) },
  stat_hours: { everyMs: 60_000, take: (core) => rollUpHours(core) },
  turnover: { everyMs: 15_000, take: (core, stop) => sumTurnover(core, stop) },
  registry_feed: { everyMs: 2_000, take: (core) => publishOverdue(core) },
};

/**
 * Does every periodic job again and again, each by itself, until stopped. A process that works under an address which is not the
 * newest leaves them: it would compare formats, and the house's own agent, with a wrong one.
 */
export function startPeriodicJobs(core: Core): { stop(): Promise<void> } {
  const stopping = new AbortController();
  // Each job that waits listens; Node warns of a leak above ten.
  setMaxListeners(Object.keys(PERIODIC_JOBS).length, stopping.signal);
  const loops = Object.entries(PERIODIC_JOBS).map(([job, what]) => repeat(core, job, what, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

/** Theirs go on while much is due, so they ask about the address themselves, too. */
function registryDeps(core: Core) {
  return { ...core, ...adAgentsPlaces(core.config), mayTake: () => core.isNewestAddress() };
}

async function repeat(core: Core, job: string, { everyMs, take }: PeriodicJob, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await core.isNewestAddress()) await take(core, signal);
    } catch (error) {
      core.log.warn({ err: error, job }, 'a periodic job failed; trying again');
    }
    await pause(everyMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
