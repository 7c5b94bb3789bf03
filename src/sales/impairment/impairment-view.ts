import { z } from 'zod';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { creativeIdOf } from '../creative/creative-ref.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { Impairment, LatencyClass, ImpairmentReason, ResourceType } from './impairment.ts';

/** An open impairment as answered; the names are those of the public protocol. */
export const ImpairmentView = z.object({
  impairment_id: z.string(),
  resource_type: ResourceType,
  resource_id: z.string(),
  package_ids: z.array(z.string()),
  transition: z.object({ from: z.string().optional(), to: z.string() }),
  reason_code: ImpairmentReason,
  reason: z.string().optional(),
  latency_class: LatencyClass,
  observed_at: z.string(),
  /** What the buyer can do about it. */
  remediation: z.string(),
});
export type ImpairmentView = z.infer<typeof ImpairmentView>;

/** What a media buy answers of its state of health (rule B9). */
export const HealthView = z.object({
  health: z.enum(['ok', 'impaired']),
  impairments: z.array(ImpairmentView),
});
export type HealthView = z.infer<typeof HealthView>;

/** `impaired` exactly when something is open among the impairments given, which are all of one buy. Pure. */
export function viewImpairments(impairments: readonly Impairment[]): HealthView {
  const open = impairments.filter((impairment) => impairment.open).sort(byAge);
  return { health: open.length === 0 ? 'ok' : 'impaired', impairments: open.map(viewImpairment) };
}

/** The open impairments of several buys, by `media_buy_id`; a buy without any has no entry, nor one that cannot be read. */
export async function openImpairments(
  impairments: Collection<Impairment>,
  media_buy_ids: readonly MediaBuyId[],
  onSkipped?: (impairment_ids: readonly string[]) => void,
): Promise<ReadonlyMap<string, Impairment[]>> {
  const found = new Map<string, Impairment[]>();
  if (media_buy_ids.length === 0) return found;
  const where = { media_buy_id: { in: media_buy_ids }, open: true };
  const sort = { field: 'resource_id', direction: 'asc' } as const;
  for await (const row of allRows(impairments, { where, sort, ...(onSkipped && { onSkipped }) }))
    found.set(row.media_buy_id, [...(found.get(row.media_buy_id) ?? []), row]);
  return found;
}

/**
 * The state of health of each of these buys. One that an open impairment concerns which cannot be read is `impaired`
 * though that is not shown: nobody is told that all is well where that is not known.
 */
export async function readHealth(
  impairments: Collection<Impairment>,
  media_buy_ids: readonly MediaBuyId[],
): Promise<(media_buy_id: string) => HealthView> {
  const skipped: string[] = [];
  const found = await openImpairments(impairments, media_buy_ids, (keys) => skipped.push(...keys));
  const unseen = new Set<string>();
  for (const media_buy_id of skipped.length === 0 ? [] : media_buy_ids)
    if ((await impairments.count({ media_buy_id, open: true })) > 0) unseen.add(media_buy_id);
  return (media_buy_id) => {
    const health = viewImpairments(found.get(media_buy_id) ?? []);
    return unseen.has(media_buy_id) ? { ...health, health: 'impaired' } : health;
  };
}

/** An impairment as answered. Pure. */
export function viewImpairment(impairment: Impairment): ImpairmentView {
  const { impairment_id, resource_type, package_ids, transition, reason_code, reason } = impairment;
  return {
    ...{ impairment_id, resource_type, resource_id: impairedName(impairment), package_ids },
    transition: { ...(transition.from !== null && { from: transition.from }), to: transition.to },
    reason_code,
    ...(reason !== null && { reason }),
    latency_class: impairment.latency_class,
    observed_at: impairment.raised_at,
    remediation: remediationOf(impairment),
  };
}

/** What the buyer calls it that is impaired. Pure. */
export function impairedName({
  resource_type,
  resource_id,
}: Pick<Impairment, 'resource_type' | 'resource_id'>): string {
  return resource_type === 'creative' ? creativeIdOf(resource_id) : resource_id;
}

function remediationOf(impairment: Impairment): string {
  const { resource_type, package_ids, reason_code } = impairment;
  const resource_id = impairedName(impairment);
  const packages = package_ids.join(', ');
  if (resource_type === 'creative') {
    return `assign another approved creative to ${packages}, or mend ${resource_id} and sync it again`;
  }
  if (reason_code === 'stopped_by_seller')
    return `ask the seller about ${packages}, or move its budget to another package`;
  if (resource_type === 'package') return `assign an approved creative to ${packages}`;
  return `pause ${packages} or move its budget to another package until ${resource_id} is back in service`;
}

function byAge(a: Impairment, b: Impairment): number {
  return a.raised_at.localeCompare(b.raised_at) || a.impairment_id.localeCompare(b.impairment_id);
}
