import { allRows } from '../../platform/all-rows.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { creativeUses } from '../../sales/creative/uses.ts';
import type { SalesDependencies } from '../dependencies.ts';
import type { LibraryWriter } from './library.ts';
import type { SyncedCreative } from './schema.ts';
import type { SyncContext } from './sync-context.ts';

/**
 * Archives every creative of the caller's that the sync does not mention, and answers what became of each, by id. Those
 * that serve an active buy stay (rule B11). `synced` gathers the rows that were archived.
 */
export async function archiveMissing(
  deps: SalesDependencies,
  isPresent: ReadonlySet<string>,
  library: LibraryWriter,
  context: SyncContext,
  synced: Map<string, Creative>,
): Promise<SyncedCreative[]> {
  const { organization_id } = context;
  const uses = await creativeUses(deps.mediaBuys, organization_id);
  const results: SyncedCreative[] = [];
  for await (const creative of allRows(deps.creatives, { where: { organization_id } })) {
    const { creative_id } = creative;
    if (isPresent.has(creative_id)) continue;
    await context.checkpoint();
    const plan = await library.archive(creative, uses.get(creative_id) ?? []);
    if (plan === undefined) continue;
    if (plan.action === 'failed') results.push({ creative_id, action: 'failed', errors: [plan.error] });
    else {
      synced.set(creative_id, plan.row);
      results.push({ creative_id, action: 'archived', status: 'archived' });
    }
  }
  return results;
}
