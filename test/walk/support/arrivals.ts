import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import type { BuyRows } from './buy-rows.ts';
import { mustHold } from './must-hold.ts';
import type { TaskRows } from './task-rows.ts';
import type { Arrival } from './unreliable-ad-server.ts';

/** An order that was taken, and when. */
export interface Taken extends AdOrder {
  atMs: number;
}

/** What has reached the ad server, buy by buy. */
export interface Arrivals {
  /** @throws {InvariantBroken}. */
  seen(arrival: Arrival, atMs: number): void;
  /** An order is there, whatever becomes of it. */
  reached(order: AdOrder, atMs: number): void;
  /** All that were there, oldest first; one that comes again stands there again. */
  there(media_buy_id: string): readonly Taken[];
  /** The highest version that was ever taken, 0 before any. */
  highest(media_buy_id: string): number;
  /** What was taken, oldest first. */
  taken(media_buy_id: string): readonly Taken[];
  /** Creatives that were approved once, as `key@version`; none where nobody looks at them. */
  approved: Set<string>;
}

export function watchArrivals(buys: BuyRows, tasks: TaskRows): Arrivals {
  const taken = new Map<string, Taken[]>();
  const there = new Map<string, Taken[]>();
  const digests = new Map<string, string>();
  const approved = new Set<string>();
  const takenOf = (media_buy_id: string) => taken.get(media_buy_id) ?? [];

  return {
    approved,
    reached(order, atMs) {
      const { media_buy_id } = order;
      there.set(media_buy_id, [...(there.get(media_buy_id) ?? []), { ...order, atMs }]);
    },
    there: (media_buy_id) => there.get(media_buy_id) ?? [],
    seen({ order, outcome }, atMs) {
      const { media_buy_id, version, digest } = order;
      const key = `${media_buy_id}@${version}`;
      mustHold((digests.get(key) ?? digest) === digest, 'I5', () => `${key} is told as two orders`);
      digests.set(key, digest);
      const buy = buys.last(media_buy_id);
      mustHold(buy !== undefined, 'I5', () => `${key} is of no buy`);
      if (buy === undefined || outcome !== 'done') return;
      const before = takenOf(media_buy_id);
      const last = before.at(-1);
      if (last?.version === version) return;
      mustHold(last === undefined || last.version < version, 'I5', () => `${key} is taken after ${last?.version ?? 0}`);
      if (last !== undefined) mustHold(last.state !== 'ended' || order.state === 'ended', 'P6', () => `${key} revives`);
      checkServed(order, buy, tasks, approved);
      taken.set(media_buy_id, [...before, { ...order, atMs }]);
    },
    highest: (media_buy_id) => takenOf(media_buy_id).at(-1)?.version ?? 0,
    taken: takenOf,
  };
}

/** An order that may be served serves nothing that it may not. */
function checkServed(order: AdOrder, buy: MediaBuy, tasks: TaskRows, approved: ReadonlySet<string>): void {
  const { media_buy_id, version, lines } = order;
  const name = `${media_buy_id}@${version}`;
  for (const { creatives, targeting, package_id } of lines) {
    const unapproved = creatives.filter(
      (creative) =>
        approved.size > 0 && !approved.has(`${buy.organization_id}/${creative.creative_id}@${creative.version}`),
    );
    mustHold(unapproved.length === 0, 'I11', () => `${name} shows ${JSON.stringify(unapproved)}, never approved`);
    const line = buy.packages.find((one) => one.package_id === package_id);
    const offered = line?.offered_targeting?.countries ?? [];
    const isWider = offered.length > 0 && !(targeting.countries?.any ?? []).every((one) => offered.includes(one));
    mustHold(!isWider, 'I11', () => `${name} aims ${package_id} at ${JSON.stringify(targeting)}`);
  }
  if (order.state !== 'running') return;
  const created = tasks.last(buy.task_id);
  mustHold(created?.committed_at != null, 'I1', () => `${name} runs, and its create could be called back`);
  mustHold(created?.state !== 'canceled', 'I1', () => `${name} runs, and its create is canceled`);
}
