import { z } from 'zod';
import { Instant } from '../../../platform/instant.ts';
import { AppError } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { CreativeStatus } from '../../../sales/creative/creative.ts';
import { creativesSeen, idsOfAll } from '../../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../../sales/creative/creative-library.ts';
import { FormatId, formatKey } from '../../../sales/format/format.ts';
import { CreativeSort } from '../../../tasks/list-creatives/schema.ts';
import type { ListCreativesResponse } from '../../../tasks/list-creatives/schema.ts';
import { accountIdFor, accountIdOfRef } from '../accounts.ts';
import { accountsOf } from '../media-buys/buy-accounts.ts';
import { EnvelopeFields } from '../envelope.ts';
import { projected } from '../projected.ts';
import { formatNamer } from '../creatives.ts';
import { catalogOptions } from '../formats/format-options.ts';
import { exactOnly, pageAsked, Pagination, pagination, totalMatching } from '../pagination.ts';
import { AccountRef, FormatRef } from '../refs.ts';
import type { Release } from '../release.ts';
import { ourCreativeStatuses } from '../statuses.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { assignedDates } from './assigned-dates.ts';
import { AssignmentsAsked, assignmentsWanted } from './assignments-told.ts';
import type { AssignmentsWanted } from './assignments-told.ts';
import { creativeRow } from './creative-row.ts';
import { BesidesAsked, besidesAsked } from './told-besides.ts';
import type { Besides } from './told-besides.ts';

const Ids = z.array(z.string().max(255)).max(100);
const Tags = z.array(z.string().max(64)).max(50, 'send at most 50 tags');

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
      updated_after: Instant.optional(),
      updated_before: Instant.optional(),
      tags: Tags.optional(),
      tags_any: Tags.optional(),
      name_contains: z.string().max(255).optional(),
      unassigned: z.boolean().optional(),
      has_variables: z.boolean().optional(),
      format_ids: z.array(FormatRef).max(100, 'send at most 100 formats').optional(),
      format_kinds: z.array(z.string().max(128)).max(100, 'send at most 100 kinds').optional(),
    })
    .optional(),
  include_assignments: z.boolean().optional(),
  ...AssignmentsAsked,
  ...BesidesAsked,
  fields: z.array(z.string().max(64)).max(50).optional(),
  sort: Sort.optional(),
  pagination: Pagination.optional(),
});
type AdcpListCreativesRequest = z.infer<typeof AdcpListCreativesRequest>;

/**
 * Filters that the library is not kept by: what they would leave out must not be shown as if it passed. Of `asset_types` alone the protocol
 * wants it passed over by agents that do not have it: its clients look at the assets themselves unless `filters_applied` names it.
 */
const NOT_KEPT_BY = Object.fromEntries(
  ['has_served', 'concept_ids', 'indicator_types'].map((name) => [name, 'the library is not kept by this']),
);
/** Of these, a no is asked for as well. */
const EITHER_WAY = ['has_served'] as const;

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
    tellsSandbox: true,
    examples: [{ filters: { statuses: ['rejected'] } }],
    input: AdcpListCreativesRequest,
    async in(request, { caller, release }) {
      const { account, filters = {}, include_assignments, fields = [], sort, pagination: page } = request;
      const besides = besidesAsked(request, fields);
      const account_id = account && (await accountIdFor(sources, caller, account));
      const under = account_id !== undefined && { account_id };
      refuseUnsupported({ ...filters, ...saidNo(filters) }, NOT_KEPT_BY, { at: 'filters.' });
      const order = orderOf(sort);
      // As with all that is read: under no account, that of all of them.
      const all_libraries = account_id === undefined;
      const creative_ids =
        filters.creative_ids &&
        (all_libraries
          ? await idsOfAll(sources.creatives, caller.organization_id, filters.creative_ids)
          : await known(sources, { ...caller, account_id }, filters.creative_ids));
      const { statuses, media_buy_ids, assigned_to_packages: package_ids, created_after, created_before } = filters;
      const status = statuses && ourCreativeStatuses(statuses, release);
      const account_ids = filters.accounts?.map((ref, i) =>
        accountIdOfRef(caller.organization_id, ref, `filters.accounts[${i}]`),
      );
      const format_ids = formatsAsked(filters, catalog, release);
      // An empty list asks nothing.
      const isOfNoStatus = status?.length === 0 && statuses?.length !== 0;
      // No creative here has variables.
      const hasNone = isOfNoStatus || filters.has_variables === true;
      const isOfNone = creative_ids?.size === 0 || format_ids?.length === 0 || hasNone;
      if (isOfNone) return { input: { limit: 1 }, ...under, extra: { order, is_of_none: true } };
      const { updated_after, updated_before, tags, tags_any, name_contains, unassigned } = filters;
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
            ...(updated_after !== undefined && { updated_after }),
            ...(updated_before !== undefined && { updated_before }),
            ...(tags !== undefined && { tags }),
            ...(tags_any !== undefined && { tags_any }),
            ...(name_contains !== undefined && name_contains !== '' && { name_contains }),
            ...(unassigned !== undefined && { unassigned }),
            ...(format_ids !== undefined && { format_ids }),
          },
          sort: order,
          ...(include_assignments !== undefined && { include_assignments }),
          ...(fields.length > 0 && !fields.includes('assignments') && { include_assignments: false }),
          ...pageAsked(page),
          all_libraries,
        },
        ...under,
        extra: {
          order,
          // What is asked for by itself is told, too.
          ...(fields.length > 0 && { fields: [...fields, ...besides] }),
          ...(besides.length > 0 && { besides }),
          assignments: assignmentsWanted(request, filters, release),
        },
      };
    },
    async out(result, { release, extra }) {
      const whole = result as unknown as ListCreativesResponse;
      const { creatives, query_summary } = extra['is_of_none'] === true ? OF_NONE : whole;
      const { order, fields, besides = [], assignments = {} } = extra as unknown as Shown;
      const [accounts, assignedBy] = await Promise.all([
        accountsOf(sources, creatives),
        assignedDates(sources, creatives, assignments),
      ]);
      const showing = { catalog, release, accounts, assignments, assignedBy, besides };
      const { total_matching, returned } = query_summary;
      return {
        query_summary: { ...totalMatching(total_matching), returned, sort_applied: order },
        creatives: creatives
          .map((creative) => creativeRow(creative, showing))
          .map((row) => projected(row, fields, ALWAYS)),
        pagination: pagination(extra['is_of_none'] === true ? {} : result, exactOnly(total_matching)),
      };
    },
    fields: { 'filters.package_ids': 'filters.assigned_to_packages', 'filters.status': 'filters.statuses' },
  });
}

/** What is stored of a request with its task; those of before there was a choice lack the later ones. */
interface Shown {
  order: CreativeSort;
  fields?: string[];
  besides?: Besides[];
  assignments?: AssignmentsWanted;
}

/** What every creative must have, and whose it is, which cannot be asked for by name. */
const ALWAYS: ReadonlySet<string> = new Set([
  ...['creative_id', 'account', 'name', 'format_id', 'format_kind', 'format_option_ref', 'status'],
  ...['created_date', 'updated_date'],
  // Told only where the snapshot is asked for, by itself or as one of the fields.
  'snapshot_unavailable_reason',
]);

/** Those that a no was said of, as something that is said. */
function saidNo(filters: JsonObject): JsonObject {
  return Object.fromEntries(EITHER_WAY.flatMap((name) => (filters[name] === false ? [[name, 'no']] : [])));
}

/** @throws {AppError} for an order that no index has: a first page in another would be of other creatives. */
function orderOf({ field, direction }: z.infer<typeof Sort> = {}): CreativeSort {
  const asked = CreativeSort.safeParse({ field, direction });
  if (asked.success) return asked.data;
  const wrong = asked.error.issues.some(({ path }) => path[0] === 'field') ? 'sort.field' : 'sort.direction';
  const [can] = [CreativeSort.shape[wrong === 'sort.field' ? 'field' : 'direction'].unwrap().options];
  const message = `${wrong}: the library is told by ${can.join(', ')}`;
  throw new AppError('UNSUPPORTED_FEATURE', message, { field: wrong, suggestion: `one of ${can.join(', ')}` });
}

/** The formats that are meant by their names and by their kinds, as far as there can be any; undefined where none is. Pure. */
function formatsAsked(
  { format_ids, format_kinds }: { format_ids?: FormatRef[] | undefined; format_kinds?: string[] | undefined },
  catalog: Catalog,
  release: Release,
): FormatId[] | undefined {
  const nameFormat = formatNamer(catalog);
  const named = format_ids?.flatMap((ref) => FormatId.safeParse(nameFormat(ref)).data ?? []);
  if (format_kinds === undefined) return named;
  const ofKind = catalogOptions(catalog, release).filter(({ format_kind }) => format_kinds.includes(format_kind));
  const keys = new Set(named?.map(formatKey));
  return ofKind.map(({ format_id }) => format_id).filter((id) => named === undefined || keys.has(formatKey(id)));
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
