import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { creativeKey, CreativeStatus } from '../../sales/creative/creative.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { settleEffects } from '../../sales/creative/effects.ts';
import { transitionCreative } from '../../sales/creative/transitions.ts';
import { creativeUses } from '../../sales/creative/uses.ts';
import { asTransitionRefusal, ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import { sandboxBuy } from './scene.ts';

/** Decides about a creative as the review would, or archives it. One that also serves a live account is left alone. */
export const forceCreativeStatus = scenario({
  name: 'force_creative_status',
  params: z.looseObject({
    creative_id: z.string().max(256),
    status: CreativeStatus,
    rejection_reason: z.string().max(1000).optional(),
  }),
  async play({ creative_id, status, rejection_reason: note = null }, scene) {
    const { creatives, caller } = scene;
    const creative_key = creativeKey(caller.organization_id, creative_id);
    const before = await creatives.get(creative_key);
    if (before === undefined)
      throw new ControllerRefusal('NOT_FOUND', `no creative of yours has the id ${creative_id}`);
    const uses = await creativeUses(scene.mediaBuys, caller.organization_id);
    for (const { media_buy_id } of uses.get(creative_id) ?? []) await sandboxBuy(scene, media_buy_id);
    const at = toTimestamp(scene.clock.now());
    const outcome = await creatives
      .update(creative_key, (row) => forcedCreative(row, status, { at, note }))
      .catch((error: unknown) => asTransitionRefusal(error));
    if (outcome !== undefined) await settleEffects(scene, [outcome.row]);
    return { previous_state: before.status, current_state: status };
  },
});

/** The creative once it stands so, by its table; undefined where it does. Pure. @throws {AppError} `INVALID_STATE` where that leads nowhere near. */
export function forcedCreative(
  row: Creative,
  to: CreativeStatus,
  why: { at: string; note: string | null },
): Creative | undefined {
  if (row.status === to) return undefined;
  const { at, note } = why;
  // What is looked at is under review: a verdict comes by way of that.
  const isVerdict = to === 'approved' || to === 'rejected';
  const looked =
    row.status === 'processing' && isVerdict
      ? transitionCreative(row, 'pending_review', { at, action: 'processed', actor: 'system' })
      : row;
  return transitionCreative(looked, to, { at, action: 'forced', actor: 'seller', note: note ?? 'forced by a test' });
}
