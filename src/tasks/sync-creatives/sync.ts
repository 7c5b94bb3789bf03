import { allRows } from '../../platform/store/all-rows.ts';
import { AppError } from '../../platform/errors.ts';
import type { ErrorBody } from '../../platform/errors.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { ownLibrary } from '../../sales/creative/creative-library.ts';
import { creativeRef } from '../../sales/creative/creative-ref.ts';
import { settleEffects } from '../../sales/creative/effects.ts';
import { readCreative } from '../../sales/creative/read-creative.ts';
import { creativeUses } from '../../sales/creative/uses.ts';
import type { SalesDependencies } from '../dependencies.ts';
import { assignAll, operationsOf } from './assign-all.ts';
import { dryLibrary, realLibrary } from './library.ts';
import type { LibraryWriter } from './library.ts';
import type { AssignmentOperation, SyncCreativesRequest, SyncCreativesResponse, SyncedCreative } from './schema.ts';
import type { SyncContext } from './sync-context.ts';

/**
 * Brings the caller's library to what the request says (rule B11). The same decisions are made for a dry run, which
 * writes nothing. Interrupted anywhere and repeated under the same `task_id`, it does what is left and answers as if it
 * had never been interrupted; a refusal then names the buys that are active by now.
 */
export async function syncCreatives(
  deps: SalesDependencies,
  request: SyncCreativesRequest,
  context: SyncContext,
): Promise<SyncCreativesResponse> {
  const { dry_run, delete_missing } = request;
  const operations = operationsOf(request);
  const library = dry_run ? dryLibrary(deps, context) : realLibrary(deps, context);
  const synced = new Map<string, Creative>();
  await context.step('syncing creatives');
  const creatives = await upsertAll(deps, request, library, context, synced);
  // Before assigning, which may activate buys: what is missing then goes or stays as a dry run said.
  const archived: SyncedCreative[] = [];
  if (delete_missing) {
    await context.step('archiving what is missing');
    const isPresent = new Set([...creatives.map(({ creative_id }) => creative_id), ...operations.flatMap(namedBy)]);
    archived.push(...(await archiveMissing(deps, isPresent, library, context, synced)));
  }
  if (operations.length > 0) {
    await context.step('assigning creatives');
    await assignAll(deps, request, { creatives, synced }, library, context);
  }
  creatives.push(...archived);
  if (!dry_run) await settleEffects(deps, [...synced.values()]);
  return { dry_run, creatives };
}

/** The creatives that an operation names, by id. */
function namedBy(operation: AssignmentOperation): string[] {
  const { creative_id } = operation;
  return operation.operation === 'replace' ? [creative_id, operation.replaces_creative_id] : [creative_id];
}

/** Each creative by itself: a bad one is told so and stops no other. `synced` gathers the rows as they then stand. */
async function upsertAll(
  deps: SalesDependencies,
  request: SyncCreativesRequest,
  library: LibraryWriter,
  context: SyncContext,
  synced: Map<string, Creative>,
): Promise<SyncedCreative[]> {
  const results: SyncedCreative[] = [];
  const seen = new Set<string>();
  for (const [i, sent] of (request.creatives ?? []).entries()) {
    const { creative_id } = sent;
    await context.commit();
    const read = readCreative(sent, ['creatives', i], deps.catalog);
    if (seen.has(creative_id)) results.push({ creative_id, action: 'failed', errors: [sentTwice(creative_id, i)] });
    else if (!read.ok) results.push({ creative_id, action: 'failed', errors: read.errors });
    else {
      const { action, status, changes, row } = await library.upsert(read.creative, read.format);
      synced.set(creative_id, row);
      results.push({ creative_id, action, status, ...(action === 'updated' && { changes }) });
    }
    seen.add(creative_id);
  }
  return results;
}

function sentTwice(creative_id: string, i: number): ErrorBody {
  const field = `creatives[${i}].creative_id`;
  const message = `${field}: ${creative_id} is sent earlier in this request; send each creative once`;
  return new AppError('INVALID_REQUEST', message, { field }).toBody();
}

/**
 * Archives every creative of the library that is synced which the sync does not mention, and answers what became of each, by id.
 * Those that serve an active buy stay (rule B11). `synced` gathers the rows that were archived.
 */
async function archiveMissing(
  deps: SalesDependencies,
  isPresent: ReadonlySet<string>,
  library: LibraryWriter,
  context: SyncContext,
  synced: Map<string, Creative>,
): Promise<SyncedCreative[]> {
  const unread: string[] = [];
  const uses = await creativeUses(deps.mediaBuys, { organization_id: context.organization_id }, (ids) =>
    unread.push(...ids),
  );
  const results: SyncedCreative[] = [];
  const sort = { field: 'created_at', direction: 'asc' } as const;
  for await (const creative of allRows(deps.creatives, { where: ownLibrary(context), sort })) {
    const { creative_id } = creative;
    if (isPresent.has(creative_id)) continue;
    await context.commit();
    const plan = await library.archive(creative, uses.get(creativeRef(creative)) ?? [], unread);
    if (plan === undefined) continue;
    if (plan.action === 'failed') results.push({ creative_id, action: 'failed', errors: [plan.error] });
    else {
      synced.set(creative_id, plan.row);
      results.push({ creative_id, action: 'archived', status: 'archived' });
    }
  }
  return results;
}
