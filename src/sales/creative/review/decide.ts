import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import type { OrganizationId } from '../../../platform/organization-id.ts';
import type { RecheckDependencies } from '../../media-buy/recheck.ts';
import { creativeKey } from '../creative.ts';
import type { Creative, CreativeReasonCode, CreativeStatus } from '../creative.ts';
import { settleEffects } from '../effects.ts';
import { transitionCreative } from '../transitions.ts';

/** What a person at the seller decides about a creative. The reason is shown to the buyer. */
export interface CreativeDecision {
  organization_id: OrganizationId;
  creative_id: string;
  to: 'approved' | 'rejected' | 'suspended';
  /** The states that it may be decided in; default: every one that a transition leads from. */
  from?: readonly CreativeStatus[];
  /** Who decides. */
  by?: string;
  reason?: string;
  reason_code?: CreativeReasonCode;
}

/**
 * Decides about a creative at once, whatever the review says: approves or rejects one in review, suspends an approved
 * one, approves a suspended one again. The buys that use it follow. The same decision again changes nothing.
 * @throws {AppError} `CREATIVE_NOT_FOUND`; `INVALID_STATE` for a transition that is not legal.
 */
export async function decideOnCreative(deps: RecheckDependencies, decision: CreativeDecision): Promise<Creative> {
  const { organization_id, creative_id, to, from, by, reason = null, reason_code = null } = decision;
  const at = toTimestamp(deps.clock.now());
  const outcome = await deps.creatives.update(creativeKey(organization_id, creative_id), (stored) => {
    if (stored.status === to) return undefined;
    if (from?.includes(stored.status) === false) throw notFrom(stored, from);
    const creative =
      stored.status === 'processing' && to !== 'suspended'
        ? transitionCreative(stored, 'pending_review', { at, action: 'processed', actor: 'system' })
        : stored;
    const cause = { at, action: 'decided', actor: 'seller', note: reason, reason_code } as const;
    return transitionCreative(creative, to, { ...cause, ...(by !== undefined && { by }) });
  });
  if (outcome === undefined) {
    throw new AppError('CREATIVE_NOT_FOUND', `no creative has the id ${creative_id}`, { field: 'creative_id' });
  }
  await settleEffects(deps, [outcome.row]);
  return outcome.row;
}

function notFrom({ creative_id, status }: Creative, from: readonly CreativeStatus[]): AppError {
  const message = `creative ${creative_id} is ${status}; only what is ${from.join(' or ')} can be decided so`;
  return new AppError('INVALID_STATE', message, { field: 'creative_id', details: { status } });
}
