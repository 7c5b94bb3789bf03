import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import type { RecheckDependencies } from '../../media-buy/recheck.ts';
import type { Creative, CreativeReasonCode, CreativeStatus } from '../creative.ts';
import type { LibraryOwner } from '../creative-library.ts';
import { settleEffects } from '../effects.ts';
import { transitionCreative } from '../transitions.ts';
import { keyWritten } from '../upsert.ts';

/** What a person at the seller decides about a creative of that very library. The reason is shown to the buyer. */
export interface CreativeDecision extends LibraryOwner {
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
  const { creative_id, to, from, by, reason = null, reason_code = null } = decision;
  const at = toTimestamp(deps.clock.now());
  const outcome = await deps.creatives.update(keyWritten(decision, creative_id), (stored) => {
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
    throw creativeNotFound(decision);
  }
  await settleEffects(deps, [outcome.row]);
  return outcome.row;
}

/** Of an id that names nothing in a library; in that of another account it may. Pure. */
export function creativeNotFound({ account_id, creative_id }: LibraryOwner & { creative_id: string }): AppError {
  const where = account_id === undefined ? 'of no account' : `of the account ${account_id}`;
  return new AppError('CREATIVE_NOT_FOUND', `no creative ${where} has the id ${creative_id}`, { field: 'creative_id' });
}

function notFrom({ creative_id, status }: Creative, from: readonly CreativeStatus[]): AppError {
  const message = `creative ${creative_id} is ${status}; only what is ${from.join(' or ')} can be decided so`;
  return new AppError('INVALID_STATE', message, { field: 'creative_id', details: { status } });
}
