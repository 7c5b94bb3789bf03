import type { Creative } from '../creative/creative.ts';
import { creativeRef } from '../creative/creative-ref.ts';
import type { LineState } from '../ad-server/line-state.ts';
import type { Outage } from '../property/outage.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { Impairment, ImpairmentReason, LatencyClass } from './impairment.ts';

/** What is wrong with a buy right now: the part of an impairment that follows from the state of things. */
export type Finding = Pick<
  Impairment,
  'resource_type' | 'resource_id' | 'package_ids' | 'transition' | 'reason_code' | 'reason' | 'latency_class'
>;

/**
 * What keeps packages of a live buy from serving: creatives that are suspended, rejected or archived, in a package that has no
 * approved one (rules B9, B11); packages whose creatives were all taken off (rule B9.no-creatives); and the properties of
 * products that run on no other (`outages`, by product); and people who have stopped lines of a running buy at the ad server
 * (`lines`, as last seen there). A buy is live once it has run; one that still waits says so by
 * `pending_reason`. In the order the packages name them. Pure.
 */
export function findImpairments(
  buy: MediaBuy,
  creativeOf: (ref: string) => Creative | undefined,
  outages: ReadonlyMap<string, readonly Outage[]> = new Map(),
  lines: readonly LineState[] = [],
): Finding[] {
  if (!isLive(buy)) return [];
  const found = [...findCreatives(buy, creativeOf), ...findEmpty(buy), ...findOutages(buy, outages)];
  return [...found, ...findStopped(buy, lines)];
}

function findCreatives(buy: MediaBuy, creativeOf: (ref: string) => Creative | undefined): Finding[] {
  const unserved = buy.packages.filter(
    ({ creative_ids }) => !creative_ids.some((ref) => creativeOf(ref)?.status === 'approved'),
  );
  const named = [...new Set(unserved.flatMap(({ creative_ids }) => creative_ids))];
  return named.flatMap((ref) => {
    const creative = creativeOf(ref);
    if (creative === undefined || !isOut(creative)) return [];
    const package_ids = unserved
      .filter(({ creative_ids }) => creative_ids.includes(ref))
      .map(({ package_id }) => package_id);
    return [finding(creative, package_ids)];
  });
}

/** No live buy began without creatives: they were taken off, or the package was added without. */
function findEmpty({ packages }: MediaBuy): Finding[] {
  const empty = packages.filter(({ creative_ids }) => creative_ids.length === 0);
  return empty.map(({ package_id }) => ({
    resource_type: 'package',
    resource_id: package_id,
    package_ids: [package_id],
    transition: { from: 'assigned', to: 'unassigned' },
    reason_code: 'no_creatives',
    reason: 'the package has no creative',
    latency_class: latencyOf('no_creatives'),
  }));
}

function findOutages(buy: MediaBuy, outages: ReadonlyMap<string, readonly Outage[]>): Finding[] {
  const found = buy.packages.flatMap(({ package_id, product_id }) =>
    (outages.get(product_id) ?? []).map((outage) => ({ package_id, outage })),
  );
  const byProperty = new Map(found.map(({ outage }) => [outage.property_id, outage]));
  return [...byProperty.values()].map(({ property_id, reason_code, reason }) => ({
    resource_type: 'property',
    resource_id: property_id,
    package_ids: found.filter(({ outage }) => outage.property_id === property_id).map(({ package_id }) => package_id),
    transition: { from: 'in_service', to: 'out_of_service' },
    reason_code,
    reason,
    latency_class: latencyOf(reason_code),
  }));
}

/** A package without creatives says that alone: it does not serve however its line stands. */
function findStopped({ status, packages }: MediaBuy, lines: readonly LineState[]): Finding[] {
  if (status !== 'active') return [];
  const wanted = packages.filter(({ paused, creative_ids }) => !paused && creative_ids.length > 0);
  return wanted.flatMap(({ package_id }) => {
    const line = lines.find((other) => other.package_id === package_id && other.by_hand);
    if (line?.state !== 'paused' && line?.state !== 'ended') return [];
    return [
      {
        resource_type: 'package',
        resource_id: package_id,
        package_ids: [package_id],
        transition: { from: 'running', to: line.state },
        reason_code: 'stopped_by_seller',
        reason: `the seller has ${line.state} the package at the ad server`,
        latency_class: latencyOf('stopped_by_seller'),
      },
    ];
  });
}

function isLive({ status, pending_reason }: MediaBuy): boolean {
  return status === 'active' || (status === 'paused' && pending_reason === null);
}

function isOut({ status }: Creative): boolean {
  return status === 'suspended' || status === 'rejected' || status === 'archived';
}

function finding(creative: Creative, package_ids: string[]): Finding {
  const reason_code = reasonOf(creative);
  const from = creative.history.findLast(
    ({ from_status, to_status }) => to_status === creative.status && from_status !== to_status,
  )?.from_status;
  return {
    resource_type: 'creative',
    resource_id: creativeRef(creative),
    package_ids,
    transition: { from: from ?? null, to: creative.status },
    reason_code,
    reason: creative.status_reason,
    latency_class: latencyOf(reason_code),
  };
}

function reasonOf({ status, reason_code }: Creative): ImpairmentReason {
  if (reason_code !== null) return reason_code;
  if (status === 'archived') return 'archived';
  return status === 'rejected' ? 'content_rejected' : 'policy_violation';
}

/** Fraud and brand safety cannot wait (rule C.events.6). */
function latencyOf(reason: ImpairmentReason): LatencyClass {
  return reason === 'fraud' || reason === 'brand_safety' ? 'latency_sensitive' : 'general';
}
