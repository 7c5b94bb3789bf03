import { allRows } from '../../platform/store/all-rows.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import type { Catalog } from '../catalog.ts';
import { effectsDueAfter, recheckAll } from '../media-buy/recheck-all.ts';
import type { RecheckDependencies } from '../media-buy/recheck.ts';
import { propertiesOf } from './outage.ts';
import type { Outage, PropertyReasonCode, PropertyStatus } from './outage.ts';

export interface OutageDependencies extends RecheckDependencies {
  outages: Collection<Outage>;
  catalog: Pick<Catalog, 'properties' | 'products'>;
}

/** What a person at the seller decides about a property. The reason is shown to buyers. */
export interface PropertyDecision {
  property_id: string;
  to: PropertyStatus;
  reason?: string;
  reason_code?: PropertyReasonCode;
}

/**
 * Takes a property out of service, or back into it; the media buys that run on it follow. Repeatable.
 * @throws {AppError} `NOT_FOUND` for a property that the catalog does not have.
 */
export async function decideOnProperty(deps: OutageDependencies, decision: PropertyDecision): Promise<Outage> {
  const { property_id, to: status, reason = null, reason_code = 'property_unavailable' } = decision;
  if (!deps.catalog.properties.has(property_id)) {
    throw new AppError('NOT_FOUND', `no property has the id ${property_id}`, { field: 'property_id' });
  }
  const at = toTimestamp(deps.clock.now());
  const told = { property_id, status, reason_code, reason, changed_at: at, effects_due_at: at };
  for (;;) {
    const outcome = await deps.outages.update(property_id, (row) => ({ ...row, ...told }));
    const row = outcome?.row ?? { ...told, revision: 1 };
    if (outcome === undefined && !(await deps.outages.insert(row)).inserted) continue;
    await settleOutages(deps, [row]);
    return row;
  }
}

/** Does what was left undone: a change whose media buys have not been looked at for `overdueMs`. Answers how many. */
export async function outageEffectsDue(deps: OutageDependencies, overdueMs: number): Promise<number> {
  const before = toTimestamp(deps.clock.now() - overdueMs);
  const due: Outage[] = [];
  for await (const row of allRows(deps.outages, { where: { effects_due_at: { lte: before, gt: '' } } })) due.push(row);
  await settleOutages(deps, due);
  return due.length;
}

/** Looks again at the buys on properties that are out of service: some began to run only since. Answers how many properties. */
export async function recheckOutages(deps: OutageDependencies): Promise<number> {
  const out: Outage[] = [];
  for await (const row of allRows(deps.outages, { where: { status: 'out_of_service' } })) out.push(row);
  await settleOutages(deps, out);
  return out.length;
}

/**
 * Looks at the running buys of every product on these properties, then notes that it is done; not where a buy that cannot
 * be read may be one of them: that is tried again later.
 */
async function settleOutages(deps: OutageDependencies, rows: readonly Outage[]): Promise<void> {
  if (rows.length === 0) return;
  const { products } = deps.catalog;
  const changed = new Set(rows.map(({ property_id }) => property_id));
  const changedOf = (product_id: string) => propertiesOf(products, product_id).filter((id) => changed.has(id));
  const where = { status: { in: ['active', 'paused'] } };
  const { leftOf, faults } = await recheckAll(deps, { where }, ({ packages }) =>
    packages.flatMap(({ product_id }) => changedOf(product_id)),
  );
  for (const { property_id, revision } of rows) {
    await deps.outages.update(property_id, (row) => {
      const effects_due_at = effectsDueAfter(row.effects_due_at, leftOf(property_id), deps.clock.now());
      const isNews = row.revision === revision && row.effects_due_at !== effects_due_at;
      return isNews ? { ...row, effects_due_at } : undefined;
    });
  }
  if (faults.length > 0) throw faults[0];
}
