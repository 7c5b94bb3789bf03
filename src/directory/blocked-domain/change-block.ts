import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import type { Store } from '../../platform/store/collection.ts';
import { registrableDomain } from '../domain/normalize-domain.ts';
import type { BlockList } from './block-list.ts';
import { BlockedDomains } from './blocked-domain-row.ts';
import type { BlockedDomainRow } from './blocked-domain-row.ts';
import type { BlockedDomain } from './blocked-domain.ts';

interface BlockDeps {
  store: Store;
  clock: Clock;
  blockList: BlockList;
}

/** Who changes it; `id`: of the change, so that it may be done again after a death in the middle. */
interface ByWhom {
  id: string;
  by: string;
}

/**
 * Puts a domain on the list, or back on it as it stood there where nothing else is said.
 * @throws {AppError} `VALIDATION_ERROR` for what is missing, a public suffix or one too many; `INVALID_STATE` where it is blocked already.
 */
export async function blockDomain(
  deps: BlockDeps,
  domain: string,
  said: Partial<Pick<BlockedDomain, 'domain_type' | 'blocked_reason'>>,
  { id, by }: ByWhom,
): Promise<BlockedDomainRow> {
  const rows = deps.store.collection(BlockedDomains);
  const made = { state: 'blocked', changed_at: toTimestamp(deps.clock.now()), changed_by: by } as const;
  const before = await rows.get(domain);
  if (before?.state === 'unblocked') await assertRoom(deps.store);
  if (before === undefined) {
    if (registrableDomain(domain) === null)
      throw invalid('domain', `others register domains below ${domain}; block those of them that are meant`);
    const { domain_type, blocked_reason } = said;
    if (domain_type === undefined) throw invalid('domain_type', `${domain} was never blocked: say what it is`);
    if (blocked_reason === undefined) throw invalid('reason', `${domain} was never blocked: say why it is to be`);
    await assertRoom(deps.store);
    const row = { domain, domain_type, blocked_reason, ...made, unblocked_reason: null, change_id: id, revision: 1 };
    if ((await rows.insert(row)).inserted) return told(deps, row);
  }
  const result = await rows.update(domain, (row) => {
    if (row.state === 'blocked') return undefined;
    const { source: _of, ...rest } = row;
    const isAsBefore = said.blocked_reason === undefined || said.blocked_reason === row.blocked_reason;
    return { ...(isAsBefore ? row : rest), ...said, ...made, unblocked_reason: null, change_id: id };
  });
  if (result === undefined) throw new Error(`the entry of ${domain} is gone: entries are never deleted`);
  if (result.row.change_id === id) return told(deps, result.row);
  const { domain_type, blocked_reason } = result.row;
  throw new AppError(
    'INVALID_STATE',
    `${domain} is blocked already, as ${domain_type}: ${blocked_reason}. Unblock it first to say otherwise`,
    { field: 'domain' },
  );
}

/** Takes a domain off the list. @throws {AppError} `NOT_FOUND` for one that is not on it, with what blocks it otherwise; `INVALID_STATE`. */
export async function unblockDomain(
  deps: BlockDeps,
  domain: string,
  reason: string,
  { id, by }: ByWhom,
): Promise<BlockedDomainRow> {
  const changed = { changed_at: toTimestamp(deps.clock.now()), changed_by: by, unblocked_reason: reason };
  const result = await deps.store
    .collection(BlockedDomains)
    .update(domain, (row) =>
      row.state === 'unblocked' ? undefined : { ...row, ...changed, state: 'unblocked', change_id: id },
    );
  if (result?.row.change_id === id) return told(deps, result.row);
  const above = (await deps.blockList.finder())(domain)?.domain;
  const field = { field: 'domain' };
  if (above !== undefined && above !== domain)
    throw new AppError('NOT_FOUND', `${domain} is blocked by ${above}, above it; unblock that`, field);
  if (result === undefined) throw new AppError('NOT_FOUND', `${domain} is not blocked`, field);
  throw new AppError('INVALID_STATE', `${domain} was unblocked already, at ${result.row.changed_at}`, field);
}

/** This process knows at once. */
function told({ blockList }: BlockDeps, row: BlockedDomainRow): BlockedDomainRow {
  blockList.forget();
  return row;
}

async function assertRoom(store: Store): Promise<void> {
  const most = INPUT_LIMITS.blockedDomains;
  if ((await store.collection(BlockedDomains).count({ state: 'blocked' }, { most })) < most) return;
  throw invalid('domain', `${most} domains are blocked, which is the most; unblock one first`);
}

function invalid(field: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { field });
}
