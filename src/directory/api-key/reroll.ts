import { toTimestamp } from '../../platform/clock.ts';
import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { createApiKeyOnce, revokeApiKey } from './api-key.ts';
import type { ApiKey, ApiKeyDeps } from './api-key.ts';
import { endOf } from './good-key.ts';

/** For how many days the former key of a reroll goes on beside the new one. */
export const OverlapDays = z.coerce
  .number('must be a number of days')
  .int('must be whole')
  .min(0, 'must be at least 0')
  .max(30, 'must be at most 30');

export interface Reroll {
  organization_id: OrganizationId;
  /** The key that is to end. */
  api_key_id: string;
  /** See {@link OverlapDays}. */
  overlap_days: number;
  /** Who made the new one; default: who made the former. */
  made_by?: string;
  /** When the new one ends by itself; default: as the former would have, had it never been rerolled. */
  expires_at?: string | undefined;
}

/** A new key of the same name and scopes, and the former one with its end. `raw` is the only copy of the new one. */
export interface Rerolled {
  raw: string;
  key: ApiKey;
  former: ApiKey;
}

/**
 * Makes a key anew: the former one goes on for some days and then ends by itself (rule R13.reroll). The new one is written first,
 * so that wherever this dies the former one is good, or has a successor. By the same click it may come twice, as
 * `createApiKeyOnce` says; the end of the former one stays what it was made the first time.
 * @param click of letters, digits and `-`.
 * @throws {AppError} `NOT_FOUND` for an unknown id and for another organization's key alike (rule T5), `INVALID_STATE` for one that
 * is over, is a setting's, or has a successor that is not revoked.
 */
export async function rerollApiKey(deps: ApiKeyDeps, click: string, asked: Reroll): Promise<Rerolled> {
  const { keys, clock, security } = deps;
  const { organization_id, api_key_id, overlap_days, made_by, expires_at } = asked;
  const own = `key_${click}`;
  const before = await keys.get(api_key_id);
  if (before?.organization_id !== organization_id) throw new AppError('NOT_FOUND', 'no such API key');
  if (before.replaced_by !== own) {
    assertGood(before, clock.now());
    const successor = before.replaced_by === undefined ? undefined : await keys.get(before.replaced_by);
    if (successor?.revoked_at === null) throw hasSuccessor(successor.api_key_id);
  }
  const maker = made_by ?? before.made_by;
  const { raw, key } = await createApiKeyOnce(deps, click, {
    ...{ organization_id, name: before.name, scopes: before.scopes },
    client_id: before.client_id ?? api_key_id,
    expires_at: expires_at ?? plannedEnd(before) ?? undefined,
    ...(maker !== undefined && { made_by: maker }),
  });
  const end = clock.now() + overlap_days * DAY_MS;
  const result = await keys.update(api_key_id, (row) =>
    row.replaced_by === before.replaced_by && row.replaced_by !== own && row.revoked_at === null
      ? {
          ...{ ...row, replaced_by: own, planned_expires_at: plannedEnd(row) },
          expires_at: toTimestamp(Math.min(end, endOf(row))),
        }
      : undefined,
  );
  const former = result?.row;
  if (former?.replaced_by !== own) {
    // Another click was first, or the former one has been revoked meanwhile; nobody has seen this one's key.
    await revokeApiKey(deps, organization_id, own);
    throw former?.revoked_at !== null ? isOver() : hasSuccessor(former.replaced_by ?? '');
  }
  if (result?.changed === true) security.record('api_key.rerolled', { target: api_key_id, organization_id });
  return { raw, key, former };
}

/** The end that a key was made with: `expires_at` of one that has been rerolled is the overlap's. */
function plannedEnd({ planned_expires_at, expires_at }: ApiKey): string | null {
  return planned_expires_at === undefined ? expires_at : planned_expires_at;
}

/** @throws {AppError} `INVALID_STATE` where nothing is to be made anew. */
function assertGood(row: ApiKey, now: number): void {
  if (row.revoked_at !== null || now >= endOf(row)) throw isOver();
  if (row.slot !== undefined)
    throw new AppError('INVALID_STATE', `this key is of the ${row.slot} slot: it is changed where it is set`);
}

function isOver(): AppError {
  return new AppError('INVALID_STATE', 'this key is over; make a new one');
}

function hasSuccessor(api_key_id: string): AppError {
  return new AppError(
    'INVALID_STATE',
    `this key has been rerolled: its successor is ${api_key_id}; reroll or revoke that one`,
  );
}
