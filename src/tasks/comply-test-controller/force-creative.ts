import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { CreativeStatus } from '../../sales/creative/creative.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { creativesNamed } from '../../sales/creative/creative-library.ts';
import { creativeRef } from '../../sales/creative/creative-ref.ts';
import { settleEffects } from '../../sales/creative/effects.ts';
import { transitionCreative } from '../../sales/creative/transitions.ts';
import { creativeUses } from '../../sales/creative/uses.ts';
import { asTransitionRefusal, ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import { sandboxBuy } from './scene.ts';
import type { Scene } from './scene.ts';

/** Decides about a creative as the review would, or archives it. One that also serves a live account is left alone. */
export const forceCreativeStatus = scenario({
  name: 'force_creative_status',
  params: z.looseObject({
    creative_id: z.string().max(256),
    status: CreativeStatus,
    rejection_reason: z.string().max(1000).optional(),
  }),
  async play({ creative_id, status, rejection_reason: note = null }, scene) {
    const before = await tested(scene, creative_id);
    const uses = await creativeUses(scene.mediaBuys, scene.caller);
    for (const { media_buy_id } of uses.get(creativeRef(before)) ?? []) await sandboxBuy(scene, media_buy_id);
    const at = toTimestamp(scene.clock.now());
    const outcome = await scene.creatives
      .update(before.creative_key, (row) => forcedCreative(row, status, { at, note }))
      .catch((error: unknown) => asTransitionRefusal(error));
    if (outcome !== undefined) await settleEffects(scene, [outcome.row]);
    return { previous_state: before.status, current_state: status };
  },
});

/** Of a test that names no account, so many sandbox accounts are looked through. */
const MOST_ACCOUNTS = 100;

/**
 * What the id means under the test's account; where none is named, to the sandbox accounts of the organization, of which the newest has
 * it, or to them all. @throws {ControllerRefusal} `NOT_FOUND`.
 */
async function tested(scene: Scene, creative_id: string): Promise<Creative> {
  const { creatives, accounts, caller } = scene;
  const { organization_id } = caller;
  const sandboxes =
    scene.account_id === undefined
      ? await accounts.find({
          where: { organization_id, sandbox: true },
          sort: { field: 'created_at', direction: 'desc' },
          limit: MOST_ACCOUNTS,
        })
      : { rows: [{ account_id: scene.account_id }] };
  const refs = sandboxes.rows.map(({ account_id }) => creativeRef({ account_id, creative_id }));
  const found = await creativesNamed(creatives, organization_id, [...refs, creative_id]);
  const meant = [...refs, creative_id].map((ref) => found.get(ref)).find((row) => row?.creative_id === creative_id);
  if (meant !== undefined) return meant;
  throw new ControllerRefusal('NOT_FOUND', `no creative of yours has the id ${creative_id}`);
}

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
