import { z } from 'zod';
import { AppError, invalidRequest } from '../../../platform/errors.ts';
import type { ErrorBody } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { keepAccount } from '../../../sales/account/account.ts';
import type { SyncCreativesResponse, SyncedCreative } from '../../../tasks/sync-creatives/schema.ts';
import { accountFor } from '../accounts.ts';
import { AdcpCreative } from '../create-media-buy/schema.ts';
import { NOT_OF_AN_OPERATION } from '../creative-assignments.ts';
import { creativeTaken, saidOfAll } from '../creative-taken.ts';
import { formatNamer, ourCreative } from '../creatives.ts';
import { EnvelopeFields } from '../envelope.ts';
import { publicError } from '../errors.ts';
import { AccountRef } from '../refs.ts';
import { isFrom } from '../release.ts';
import type { Release } from '../release.ts';
import { publicCreativeStatus } from '../statuses.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { assertEvenTurns } from './even-turns.ts';

const AdcpSyncCreativesRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef,
  creatives: z
    .array(AdcpCreative)
    .min(1, 'send at least one creative')
    .max(100, 'send at most 100 creatives')
    .optional(),
  creative_ids: z.array(z.string().max(255)).max(100).optional(),
  assignments: z
    .array(z.looseObject({ creative_id: z.string().max(255), package_id: z.string().max(255) }))
    .max(1000)
    .optional(),
  assignment_operations: z.array(z.looseObject({})).min(1).max(500, 'send at most 500 operations').optional(),
  delete_missing: z.boolean().optional(),
  dry_run: z.boolean().optional(),
  validation_mode: z.enum(['strict', 'lenient']).optional(),
});
type AdcpSyncCreativesRequest = z.infer<typeof AdcpSyncCreativesRequest>;

/** Stores creatives in the account's library, and assigns them to packages. */
export function adcpSyncCreatives(sources: TranslatorSources): Translator {
  const nameFormat = formatNamer(sources.catalog);
  return translator<AdcpSyncCreativesRequest>({
    skill: 'sync_creatives',
    task: 'sync_creatives',
    title: 'Sync creatives',
    description: "Stores creatives in your account's library, and assigns them to packages of your media buys.",
    tags: ['creative'],
    mutates: true,
    tellsSandbox: true,
    examples: [],
    input: AdcpSyncCreativesRequest,
    async in(request, { caller, release }) {
      const { creative_ids, assignments = [], delete_missing, dry_run } = request;
      const assignment_operations = operationsAsked(request, release);
      // Only 3.2 has a sync of assignments alone.
      if (request.creatives === undefined && !isFrom(release, '3.2')) {
        throw invalidRequest('creatives', 'send at least one creative');
      }
      const creatives = request.creatives ?? [];
      const account = await accountFor(sources, caller, request.account);
      const owner = { organization_id: caller.organization_id, account_id: account.account_id };
      await assertEvenTurns(sources.mediaBuys, owner, { ...request, creatives, assignments });
      if (delete_missing === true) assertWhole(request);
      const where = { catalog: sources.catalog, release, nameFormat };
      // What the protocol says of a request that says nothing.
      const validation_mode = request.validation_mode ?? 'strict';
      const untaken = new Map<string, ErrorBody>();
      const wanted = creatives.flatMap((creative, i) => {
        if (creative_ids?.includes(creative.creative_id) === false) return [];
        try {
          return [creativeTaken(creative, `creatives[${i}].`, where)];
        } catch (error) {
          if (validation_mode === 'strict' || !(error instanceof AppError)) throw error;
          untaken.set(creative.creative_id, error.toBody());
          return [ourCreative({ ...creative, format_id: undefined }, nameFormat)];
        }
      });
      // Buyers choose these ids, and `constructor` is as good as any.
      const byCreative = new Map<string, string[]>();
      for (const { creative_id, package_id } of assignments) {
        const packages = byCreative.get(creative_id);
        if (packages === undefined) byCreative.set(creative_id, [package_id]);
        else packages.push(package_id);
      }
      return {
        input: {
          ...(request.creatives !== undefined && { creatives: wanted }),
          ...(assignment_operations !== undefined && { assignment_operations }),
          ...(assignments.length > 0 && { assignments: Object.fromEntries(byCreative) }),
          ...(delete_missing !== undefined && { delete_missing }),
          ...(dry_run !== undefined && { dry_run }),
          validation_mode,
        },
        account_id: account.account_id,
        extra: {
          ...(untaken.size > 0 && { untaken: Object.fromEntries(untaken) }),
          ...saidOfAll(creatives),
        },
        ...(dry_run !== true && { beforehand: () => keepAccount(sources.accounts, account) }),
      };
    },
    out(result, { release, extra }) {
      const { creatives, dry_run } = result as unknown as SyncCreativesResponse;
      const untaken = new Map(Object.entries((extra['untaken'] ?? {}) as Record<string, ErrorBody>));
      const whyNot = (one: SyncedCreative) => {
        const error = one.action === 'failed' ? untaken.get(one.creative_id) : undefined;
        return error === undefined ? one : { ...one, errors: [error] };
      };
      return { ...(dry_run && { dry_run }), creatives: creatives.map((one) => syncedRow(whyNot(one), release)) };
    },
  });
}

/** The operations, which only 3.2 has. @throws {AppError} `UNSUPPORTED_FEATURE` for what of them cannot be kept. */
function operationsAsked(
  { assignment_operations }: AdcpSyncCreativesRequest,
  release: Release,
): JsonObject[] | undefined {
  if (!isFrom(release, '3.2'))
    refuseUnsupported({ assignment_operations }, { assignment_operations: 'send assignments' });
  assignment_operations?.forEach((one, i) => {
    refuseUnsupported(one, NOT_OF_AN_OPERATION, { at: `assignment_operations[${i}].` });
  });
  return assignment_operations;
}

/** What is missing of a part is not missing. @throws {AppError} `INVALID_REQUEST`. */
function assertWhole({ creative_ids }: AdcpSyncCreativesRequest): void {
  if (creative_ids === undefined) return;
  throw invalidRequest('delete_missing', 'leave creative_ids out: it is for the whole library');
}

function syncedRow(one: SyncedCreative, release: Release): JsonObject {
  const { creative_id, action, status, changes, errors, assigned_to, assignment_errors } = one;
  const told = errors?.map((error) => publicError(error as ErrorBody, release));
  return {
    ...{ creative_id, action: action === 'archived' ? 'deleted' : action },
    ...(status !== undefined && action !== 'archived' && { status: publicCreativeStatus(status, release) }),
    ...(changes !== undefined && { changes }),
    ...(told !== undefined && { errors: told }),
    ...(assigned_to !== undefined && { assigned_to }),
    ...(assignment_errors !== undefined && { assignment_errors }),
  };
}
