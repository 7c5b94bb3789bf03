import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { formatOf } from '../../../sales/catalog.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { CreativeStatus } from '../../../sales/creative/creative.ts';
import { creativesSeen, idsOfAll } from '../../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../../sales/creative/creative-library.ts';
import type { FormatId } from '../../../sales/format/format.ts';
import type { CreativeView } from '../../../sales/creative/creative-view.ts';
import type { ListCreativesResponse } from '../../../tasks/list-creatives/schema.ts';
import { accountIdFor, accountIdOfRef } from '../accounts.ts';
import { accountsOf } from '../media-buys/buy-accounts.ts';
import { EnvelopeFields } from '../envelope.ts';
import { projected } from '../projected.ts';
import { canonicalName } from '../formats/format-options.ts';
import { pageAsked, Pagination, pagination } from '../pagination.ts';
import { AccountRef } from '../refs.ts';
import type { Release } from '../release.ts';
import { publicCreativeStatus } from '../statuses.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { refuseUnsupported } from '../unsupported.ts';

const Instant = z.iso.datetime({ offset: true, error: 'send an RFC 3339 date-time with an offset' });
const Ids = z.array(z.string().max(255)).max(100);

const Sort = z.looseObject({ field: z.string().max(64).optional(), direction: z.string().max(16).optional() });

const AdcpListCreativesRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef.optional(),
  filters: z
    .looseObject({
      accounts: z.array(AccountRef).max(100, 'send at most 100 accounts').optional(),
      statuses: z.array(CreativeStatus).max(20).optional(),
      creative_ids: Ids.optional(),
      media_buy_ids: Ids.optional(),
      assigned_to_packages: Ids.optional(),
      created_after: Instant.optional(),
      created_before: Instant.optional(),
    })
    .optional(),
  include_assignments: z.boolean().optional(),
  fields: z.array(z.string().max(64)).max(50).optional(),
  sort: Sort.optional(),
  pagination: Pagination.optional(),
});
type AdcpListCreativesRequest = z.infer<typeof AdcpListCreativesRequest>;

/** Filters that the library is not kept by: what they would leave out must not be shown as if it passed. */
const NOT_KEPT_BY = Object.fromEntries(
  [
    ...['tags', 'tags_any', 'name_contains', 'updated_after', 'updated_before'],
    ...['unassigned', 'has_served', 'concept_ids', 'format_ids', 'format_kinds', 'asset_types', 'indicator_types'],
    'has_variables',
  ].map((name) => [name, 'the library is not kept by this']),
);
/** Of these, a no is asked for as well. */
const EITHER_WAY = ['unassigned', 'has_served', 'has_variables'] as const;

/** Lists the caller's creatives, the newest first. */
export function adcpListCreatives(sources: TranslatorSources): Translator {
  const { catalog } = sources;
  return translator<AdcpListCreativesRequest>({
    skill: 'list_creatives',
    task: 'list_creatives',
    title: 'List creatives',
    description: 'Lists your creatives with their states, and the packages that they are assigned to.',
    tags: ['creative'],
    mutates: false,
    examples: [{ filters: { statuses: ['rejected'] } }],
    input: AdcpListCreativesRequest,
    async in({ account, filters = {}, include_assignments, fields = [], sort, pagination: page }, { caller }) {
      const account_id = account && (await accountIdFor(sources, caller, account));
      const under = account_id !== undefined && { account_id };
      refuseUnsupported({ ...filters, ...saidNo(filters) }, NOT_KEPT_BY, { at: 'filters.' });
      assertOrder(sort);
      // As with all that is read: under no account, that of all of them.
      const all_libraries = account_id === undefined;
      const creative_ids =
        filters.creative_ids &&
        (all_libraries
          ? await idsOfAll(sources.creatives, caller.organization_id, filters.creative_ids)
          : await known(sources, { ...caller, account_id }, filters.creative_ids));
      const { statuses, media_buy_ids, assigned_to_packages: package_ids, created_after, created_before } = filters;
      const status = statuses && [...new Set(statuses.flatMap(oursOf))];
      const account_ids = filters.accounts?.map((ref, i) =>
        accountIdOfRef(caller.organization_id, ref, `filters.accounts[${i}]`),
      );
      if (creative_ids?.size === 0) return { input: { limit: 1 }, ...under, extra: { is_of_none: true } };
      return {
        input: {
          filters: {
            ...(account_ids !== undefined && { account_ids }),
            ...(status !== undefined && { status }),
            ...(creative_ids !== undefined && { creative_ids: [...creative_ids] }),
            ...(media_buy_ids !== undefined && { media_buy_ids }),
            ...(package_ids !== undefined && { package_ids }),
            ...(created_after !== undefined && { created_after }),
            ...(created_before !== undefined && { created_before }),
          },
          ...(include_assignments !== undefined && { include_assignments }),
          ...(fields.length > 0 && !fields.includes('assignments') && { include_assignments: false }),
          ...pageAsked(page),
          all_libraries,
        },
        ...under,
        ...(fields.length > 0 && { extra: { fields } }),
      };
    },
    async out(result, { release, extra }) {
      const whole = result as unknown as ListCreativesResponse;
      const { creatives, query_summary } = extra['is_of_none'] === true ? OF_NONE : whole;
      const accounts = await accountsOf(sources, creatives);
      return {
        query_summary: { ...query_summary, sort_applied: { field: 'created_date', direction: 'desc' } },
        creatives: creatives
          .map((creative) => creativeRow(creative, { catalog, release, accounts }))
          .map((row) => projected(row, extra['fields'] as string[] | undefined, ALWAYS)),
        pagination: pagination(extra['is_of_none'] === true ? {} : result, query_summary.total_matching),
      };
    },
    fields: { 'filters.package_ids': 'filters.assigned_to_packages', 'filters.status': 'filters.statuses' },
  });
}

/** What every creative must have, and whose it is, which cannot be asked for by name. */
const ALWAYS: ReadonlySet<string> = new Set([
  ...['creative_id', 'account', 'name', 'format_id', 'format_kind', 'format_option_ref', 'status'],
  ...['created_date', 'updated_date'],
]);

/** Those that a no was said of, as something that is said. */
function saidNo(filters: JsonObject): JsonObject {
  return Object.fromEntries(EITHER_WAY.flatMap((name) => (filters[name] === false ? [[name, 'no']] : [])));
}

/** @throws {AppError} for an order other than the library's own: a first page in another would be of other creatives. */
function assertOrder({ field = 'created_date', direction = 'desc' }: z.infer<typeof Sort> = {}): void {
  const wrong = field !== 'created_date' ? 'sort.field' : direction !== 'desc' ? 'sort.direction' : undefined;
  if (wrong === undefined) return;
  const message = `${wrong}: the library is told by created_date, the newest first`;
  throw new AppError('UNSUPPORTED_FEATURE', message, { field: wrong, suggestion: 'leave it out' });
}

/** What filters leave that nothing meets. */
const OF_NONE: Pick<ListCreativesResponse, 'creatives' | 'query_summary'> = {
  creatives: [],
  query_summary: { total_matching: 0, returned: 0 },
};

/** Those of the ids that mean something to the caller: of a filter, what names nothing matches nothing. */
async function known(
  { creatives }: TranslatorSources,
  owner: LibraryOwner,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await creativesSeen(creatives, owner, ids, { skipUnreadable: true })).keys());
}

/** What is looked at still shows as under review. */
function oursOf(status: CreativeStatus): CreativeStatus[] {
  return status === 'pending_review' ? ['pending_review', 'processing'] : [status];
}

/** From 3.2 on by its canonical name; by its id where it has none, or is no longer in the catalog. */
function formatTold(format_id: FormatId, catalog: Catalog, release: Release): JsonObject {
  const named = release === '3.2' ? canonicalName(format_id, catalog, release) : undefined;
  return named ?? { format_id };
}

interface Showing {
  catalog: Catalog;
  release: Release;
  accounts: ReadonlyMap<string, JsonObject>;
}

function creativeRow(creative: CreativeView, { catalog, release, accounts }: Showing): JsonObject {
  const account = accounts.get(creative.account_id ?? '');
  const { creative_id, name, format_id, status, assets, tags, created_date, updated_date, assignments } = creative;
  return {
    ...{ creative_id, name, ...formatTold(format_id, catalog, release), created_date, updated_date, tags },
    status: publicCreativeStatus(status, release),
    ...(account && { account }),
    assets: Object.fromEntries(
      Object.entries(assets).map(([key, { kind, ...asset }]) => [
        key,
        { asset_type: kind ?? formatOf(catalog, format_id)?.assets[key]?.kind, ...asset },
      ]),
    ),
    ...(assignments && {
      assignments: {
        assignment_count: assignments.assignment_count,
        // When it was assigned is not kept; it was no later than this.
        assigned_packages: assignments.assigned_packages.map(({ package_id, media_buy_id }) => {
          return { package_id, media_buy_id, assigned_date: updated_date };
        }),
      },
    }),
  };
}
