import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { organizations } from './organization.ts';
import type { Organization } from './organization.ts';

/** How long a process may not know of a suspension, or of its end, in milliseconds. */
export const SUSPENSION_KNOWN_WITHIN_MS = 3_000;

/** What an operator says of a suspension. */
export type Suspension = NonNullable<Organization['suspension']>;

/** Which organizations are suspended, as this process knows it: at most 3 s behind the store (rule S5). */
export interface Suspensions {
  isSuspended(organizationId: string): Promise<boolean>;
  /** Whether its webhooks wait, too. */
  areWebhooksStopped(organizationId: string): Promise<boolean>;
}

interface SuspensionDeps {
  store: Store;
  clock: Clock;
}

export function createSuspensions({ store, clock }: SuspensionDeps): Suspensions {
  let known: ReadonlyMap<string, Suspension['webhooks']> = new Map();
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    const askedAt = clock.now();
    const found = new Map<string, Suspension['webhooks']>();
    const onSkipped = (keys: readonly string[]) => {
      for (const key of keys) found.set(key, 'go_on');
    };
    const all = allRows(store.collection(organizations), { where: { suspended_at: { gt: '' } }, onSkipped });
    for await (const { organization_id, suspension } of all)
      found.set(organization_id, suspension?.webhooks ?? 'go_on');
    known = found;
    loadedAt = askedAt;
  }

  async function webhooksOf(organizationId: string): Promise<Suspension['webhooks'] | undefined> {
    if (Math.abs(clock.now() - loadedAt) >= SUSPENSION_KNOWN_WITHIN_MS) {
      await (loading ??= load().finally(() => (loading = undefined)));
    }
    return known.get(organizationId);
  }

  return {
    isSuspended: async (organizationId) => (await webhooksOf(organizationId)) !== undefined,
    areWebhooksStopped: async (organizationId) => (await webhooksOf(organizationId)) === 'stop',
  };
}

/** Of a row as it was just read. */
export function isSuspended({ suspended_at }: Pick<Organization, 'suspended_at'>): boolean {
  return (suspended_at ?? null) !== null;
}

/** What whoever acts for a suspended organization is told, on every wire. It names no reason: that is the operator's to say. */
export function suspendedError(): AppError {
  return new AppError('FORBIDDEN', 'your organization is suspended; its tasks wait. Ask the seller', {
    details: { suspended: true },
  });
}

/** Suspends an organization; again, with the words and the wish said last. @throws {AppError} `NOT_FOUND`. */
export async function suspendOrganization(
  { store, clock }: SuspensionDeps,
  organizationId: OrganizationId,
  suspension: Suspension,
): Promise<Organization> {
  const now = toTimestamp(clock.now());
  return changed(
    await store
      .collection(organizations)
      .update(organizationId, (row) => ({ ...row, suspended_at: row.suspended_at ?? now, suspension })),
  );
}

/** Ends a suspension; of an organization that is not suspended, does nothing. @throws {AppError} `NOT_FOUND`. */
export async function restoreOrganization({ store }: Pick<SuspensionDeps, 'store'>, organizationId: OrganizationId) {
  const result = await store.collection(organizations).update(organizationId, (row) => {
    if (!isSuspended(row)) return undefined;
    const { suspension: _over, ...rest } = row;
    return { ...rest, suspended_at: null };
  });
  return changed(result);
}

function changed(result: { row: Organization } | undefined): Organization {
  if (result !== undefined) return result.row;
  throw new AppError('NOT_FOUND', 'no organization has this id', { field: 'organization_id' });
}
