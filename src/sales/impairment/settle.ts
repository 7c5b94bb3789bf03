import { createHash } from 'node:crypto';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { Finding } from './detect.ts';
import { Impairment } from './impairment.ts';

/** Told after an impairment was raised, changed or cleared. May be told twice, or never when the process dies first. */
export type ImpairmentHook = (impairment: Impairment) => void | Promise<void>;

/** What a look at a buy has come to. */
export interface Found {
  findings: readonly Finding[];
  /** Those that were open before anything was read for the findings: what was raised since then, they know nothing of. */
  open: readonly Impairment[];
  /** A timestamp. */
  at: string;
}

/**
 * Makes the stored impairments of a buy what the findings say: raises, changes and clears. Repeatable; what is told
 * already stays as it is. The news is marked in the same write (`untold_since`), so that no crash loses it.
 */
export async function settleImpairments(
  impairments: Collection<Impairment>,
  buy: Pick<MediaBuy, 'media_buy_id' | 'organization_id'>,
  { findings, open, at }: Found,
  hook?: ImpairmentHook,
): Promise<void> {
  for (const finding of findings) {
    const known = open.find((impairment) => isSame(impairment, finding));
    await (known === undefined
      ? raise(impairments, buy, finding, at, hook)
      : change(impairments, known.impairment_id, (row) => withFinding(row, finding, at), hook));
  }
  const gone = open.filter((impairment) => !findings.some((finding) => isSame(impairment, finding)));
  for (const { impairment_id } of gone) await change(impairments, impairment_id, (row) => cleared(row, at), hook);
}

function isSame(one: Pick<Finding, 'resource_type' | 'resource_id'>, other: typeof one): boolean {
  return one.resource_type === other.resource_type && one.resource_id === other.resource_id;
}

/** The open impairments of one buy, the oldest first. */
export async function listOpenImpairments(
  impairments: Collection<Impairment>,
  media_buy_id: MediaBuyId,
): Promise<Impairment[]> {
  const { rows } = await impairments.find({ where: { media_buy_id, open: true }, limit: 1000 });
  return rows;
}

async function raise(
  impairments: Collection<Impairment>,
  { media_buy_id, organization_id }: Pick<MediaBuy, 'media_buy_id' | 'organization_id'>,
  finding: Finding,
  at: string,
  hook?: ImpairmentHook,
): Promise<void> {
  const { resource_id } = finding;
  const earlier = await impairments.count({ media_buy_id, resource_id });
  const row: Impairment = {
    impairment_id: impairmentId(media_buy_id, resource_id, earlier + 1),
    organization_id,
    media_buy_id,
    ...finding,
    open: true,
    raised_at: at,
    cleared_at: null,
    untold_since: at,
    revision: 1,
  };
  const { inserted } = await impairments.insert(row);
  if (inserted) await hook?.(row);
}

async function change(
  impairments: Collection<Impairment>,
  impairment_id: string,
  decide: (row: Impairment) => Impairment | undefined,
  hook?: ImpairmentHook,
): Promise<void> {
  const outcome = await impairments.update(impairment_id, decide);
  if (outcome?.changed === true) await hook?.(outcome.row);
}

function withFinding(row: Impairment, finding: Finding, at: string): Impairment | undefined {
  if (!row.open) return undefined;
  const after = { ...row, ...finding };
  // What a newer release keeps beside it is no change to tell.
  if (canonicalJson(Impairment.parse(after)) === canonicalJson(Impairment.parse(row))) return undefined;
  return { ...after, untold_since: row.untold_since ?? at };
}

function cleared(row: Impairment, at: string): Impairment | undefined {
  return row.open ? { ...row, open: false, cleared_at: at, untold_since: row.untold_since ?? at } : undefined;
}

/** The id of the n-th time that this resource impairs this buy: the same whoever raises it. */
function impairmentId(media_buy_id: MediaBuyId, resource_id: string, occurrence: number): string {
  const print = createHash('sha256')
    .update(canonicalJson([media_buy_id, resource_id]))
    .digest('hex');
  return `imp_${print.slice(0, 24)}_${occurrence}`;
}
