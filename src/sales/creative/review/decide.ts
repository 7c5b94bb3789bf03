import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import type { RecheckDependencies } from '../../media-buy/recheck.ts';
import { creativeKey } from '../creative.ts';
import type { Creative, CreativeReasonCode } from '../creative.ts';
import { settleEffects } from '../effects.ts';
import { move } from '../moves.ts';

/** What a person at the seller decides about a creative. The reason is shown to the buyer. */
export interface CreativeDecision {
  organization_id: string;
  creative_id: string;
  to: 'approved' | 'rejected' | 'suspended';
  reason?: string;
  reason_code?: CreativeReasonCode;
}

/**
 * Decides about a creative at once, whatever the review says: approves or rejects one in review, suspends an approved
 * one, approves a suspended one again. The buys that use it follow.
 * @throws {AppError} `CREATIVE_NOT_FOUND`; `INVALID_STATE` for a move that is not legal.
 */
export async function decideOnCreative(deps: RecheckDependencies, decision: CreativeDecision): Promise<Creative> {
  const { organization_id, creative_id, to, reason = null, reason_code = null } = decision;
  const at = toTimestamp(deps.clock.now());
  const outcome = await deps.creatives.update(creativeKey(organization_id, creative_id), (stored) => {
    const creative =
      stored.status === 'processing' && to !== 'suspended'
        ? move(stored, 'pending_review', { at, action: 'processed', actor: 'system' })
        : stored;
    return move(creative, to, { at, action: 'decided', actor: 'seller', note: reason, reason_code });
  });
  if (outcome === undefined) {
    throw new AppError('CREATIVE_NOT_FOUND', `no creative has the id ${creative_id}`, { field: 'creative_id' });
  }
  await settleEffects(deps, [outcome.row]);
  return outcome.row;
}
