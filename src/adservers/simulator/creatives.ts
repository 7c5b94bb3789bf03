import { createHash } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { Collection, CollectionSpec, Store } from '../../platform/store/collection.ts';
import type { AdCreative, AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { CreativeAnswer } from '../../sales/ad-server/creative-answer.ts';
import { CreativeReasonCode } from '../../sales/creative/creative.ts';
import { AssetKind } from '../../sales/format/format.ts';
import type { ReviewControl } from './controls.ts';
import { nativeCreativeId } from './line-states.ts';
import { creativeVersion } from './native-order.ts';
import type { Steering } from './steering.ts';

/** When to ask again about a creative that nobody has decided on. */
const UNDECIDED_MS = 60_000;
const REJECTED = 'the simulated ad server was told to refuse it';

/** A version of a creative that was uploaded, and what the ad server's review says of it. */
export const UploadedCreative = z.strictObject({
  creative_key: z.string(),
  revision: z.int(),
  creative_id: z.string(),
  version: z.int(),
  verdict: z.enum(['undecided', 'approved', 'rejected', 'suspended']),
  /** Why it may not be shown; null where it may. */
  reason: z.string().nullable(),
  reason_code: CreativeReasonCode.nullable(),
});
export type UploadedCreative = z.infer<typeof UploadedCreative>;

export const UploadedCreatives: CollectionSpec<UploadedCreative> = {
  name: 'simulated_creatives',
  key: 'creative_key',
  schema: UploadedCreative,
  indexes: [{ name: 'creative', fields: ['creative_id'] }],
};

/** The creatives of the simulated ad server. */
export interface CreativeShelf {
  /** Uploads a version once, whatever its content is the second time. Answers nothing when it was stopped before. */
  upload(creative: AdCreative): Promise<CreativeAnswer | undefined>;
  /** The creatives of an order that review has not approved, as `id@version`. One that was never uploaded may be shown. */
  unapprovedOf(order: AdOrder): Promise<string[]>;
  /** What review says from now on of every version of a creative that is named. */
  review(review: ReviewControl): Promise<void>;
}

export function createCreativeShelf(store: Store, steering: Steering): CreativeShelf {
  const creatives = store.collection(UploadedCreatives);
  return {
    async upload(creative) {
      const { organization_id, creative_id, version } = creative;
      const creative_key = keyOf(organization_id, creative);
      const known = await creatives.get(creative_key);
      if (known !== undefined) return answerOf(known, steering.now());
      if (steering.stops(1)) return undefined;
      const row = { creative_key, revision: 1, creative_id, version, ...verdictOn(creative, steering) };
      const { inserted } = await creatives.insert(row);
      if (inserted) steering.wrote([{ kind: 'create_creative', creative_id, version }]);
      return answerOf((await creatives.get(creative_key)) ?? row, steering.now());
    },
    async unapprovedOf({ advertiser, lines }) {
      const used = lines.flatMap((line) => line.creatives);
      if (used.length === 0) return [];
      const keys = used.map((creative) => keyOf(advertiser.organization_id, creative));
      const rows = await creatives.getMany([...new Set(keys)]);
      return rows.filter(({ verdict }) => verdict !== 'approved').map(creativeVersion);
    },
    async review(review) {
      const { verdict, creative_id } = review;
      if (creative_id === undefined) return;
      const told = { verdict, ...whyOf(review) };
      for (const { creative_key } of await versionsOf(creatives, creative_id)) {
        await creatives.update(creative_key, (row) => ({ ...row, ...told }));
      }
    },
  };
}

async function versionsOf(creatives: Collection<UploadedCreative>, creative_id: string): Promise<UploadedCreative[]> {
  const { rows } = await creatives.find({ where: { creative_id }, limit: 1000 });
  return rows;
}

function verdictOn({ creative_id, kind }: AdCreative, steering: Steering) {
  if (!AssetKind.safeParse(kind).success) {
    const reason = `a creative of the kind ${kind} is not shown here`;
    return { verdict: 'rejected' as const, reason, reason_code: 'content_rejected' as const };
  }
  const review = steering.reviewOf(creative_id) ?? { verdict: 'approved' as const };
  return { verdict: review.verdict, ...whyOf(review) };
}

function whyOf({ verdict, reason = REJECTED, reason_code = 'policy_violation' }: ReviewControl) {
  const isShown = verdict === 'approved' || verdict === 'undecided';
  return isShown ? { reason: null, reason_code: null } : { reason, reason_code };
}

function answerOf(row: UploadedCreative, nowMs: number): CreativeAnswer {
  const { verdict, reason, reason_code } = row;
  if (verdict === 'approved') return { verdict, native_id: nativeCreativeId(row) };
  if (verdict === 'undecided') return { verdict, ask_again_at: toTimestamp(nowMs + UNDECIDED_MS) };
  return { verdict, reason: reason ?? REJECTED, reason_code: reason_code ?? 'policy_violation' };
}

function keyOf(organization_id: string, { creative_id, version }: { creative_id: string; version: number }): string {
  return createHash('sha256')
    .update(canonicalJson([organization_id, creative_id, version]))
    .digest('hex');
}
