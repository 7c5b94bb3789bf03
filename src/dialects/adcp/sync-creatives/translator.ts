import { z } from 'zod';
import { invalidRequest } from '../../../platform/errors.ts';
import type { ErrorBody } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { keepAccount } from '../../../sales/account/account.ts';
import type { SyncCreativesResponse, SyncedCreative } from '../../../tasks/sync-creatives/schema.ts';
import { accountFor } from '../accounts.ts';
import { AdcpCreative } from '../create-media-buy/schema.ts';
import { formatNamer, ourCreative } from '../creatives.ts';
import { EnvelopeFields } from '../envelope.ts';
import { publicError } from '../errors.ts';
import { AccountRef } from '../refs.ts';
import type { Release } from '../release.ts';
import { publicCreativeStatus } from '../statuses.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { refuseUnsupported } from '../unsupported.ts';

const AdcpSyncCreativesRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef,
  creatives: z.array(AdcpCreative).min(1, 'send at least one creative').max(100, 'send at most 100 creatives'),
  creative_ids: z.array(z.string().max(255)).max(100).optional(),
  assignments: z
    .array(z.looseObject({ creative_id: z.string().max(255), package_id: z.string().max(255) }))
    .max(1000)
    .optional(),
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
    examples: [],
    input: AdcpSyncCreativesRequest,
    async in(request, { caller }) {
      const { creatives, creative_ids, assignments = [], delete_missing, dry_run } = request;
      refuseUnsupported(request, { assignment_operations: 'send assignments' });
      const account = await accountFor(sources, caller, request.account);
      if (delete_missing === true) assertWhole(request);
      const wanted = creatives.filter(({ creative_id }) => creative_ids?.includes(creative_id) ?? true);
      // Buyers choose these ids, and `constructor` is as good as any.
      const byCreative = new Map<string, string[]>();
      for (const { creative_id, package_id } of assignments) {
        const packages = byCreative.get(creative_id);
        if (packages === undefined) byCreative.set(creative_id, [package_id]);
        else packages.push(package_id);
      }
      return {
        input: {
          creatives: wanted.map((creative) => ourCreative(creative, nameFormat)),
          ...(assignments.length > 0 && { assignments: Object.fromEntries(byCreative) }),
          ...(delete_missing !== undefined && { delete_missing }),
          ...(dry_run !== undefined && { dry_run }),
          // What the protocol says of a request that says nothing.
          validation_mode: request.validation_mode ?? 'strict',
        },
        account_id: account.account_id,
        ...(dry_run !== true && { beforehand: () => keepAccount(sources.accounts, account) }),
      };
    },
    out(result, { release }) {
      const { creatives, dry_run } = result as unknown as SyncCreativesResponse;
      return { ...(dry_run && { dry_run }), creatives: creatives.map((one) => syncedRow(one, release)) };
    },
  });
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
