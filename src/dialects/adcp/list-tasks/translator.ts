import { z } from 'zod';
import { Instant } from '../../../platform/instant.ts';
import { invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { EnvelopeFields } from '../envelope.ts';
import { exactOnly, pageAsked, Pagination, pagination } from '../pagination.ts';
import { isToldApart, taskHead, typesAsked } from '../task-view.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import { refuseUnsupported } from '../unsupported.ts';

const Names = z.array(z.string().max(128)).max(50);

const AdcpListTasksRequest = z.looseObject({
  ...EnvelopeFields.shape,
  filters: z
    .looseObject({
      status: z.string().max(64).optional(),
      statuses: Names.optional(),
      task_type: z.string().max(128).optional(),
      task_types: Names.optional(),
      protocol: z.string().max(64).optional(),
      protocols: Names.optional(),
      task_ids: z.array(z.string().max(512)).max(100).optional(),
      created_after: Instant.optional(),
      created_before: Instant.optional(),
      updated_after: Instant.optional(),
      updated_before: Instant.optional(),
    })
    .optional(),
  sort: z
    .looseObject({ field: z.string().max(64).optional(), direction: z.enum(['asc', 'desc']).optional() })
    .optional(),
  pagination: Pagination.optional(),
});
type AdcpListTasksRequest = z.infer<typeof AdcpListTasksRequest>;

/** Filters that the list is not kept by. */
const NOT_KEPT_BY = ['context_contains', 'has_webhook'];
/** What would be taken for another list, or for more of it, than it is. */
const NOT_TOLD = {
  account: 'the list is of all accounts of the organization',
  include_history: 'what was sent to and fro is not kept with tasks',
};
/** What the list is in order by. */
const ORDERS = ['created_at', 'updated_at'];
/** The protocol that all tasks here are told to be of. */
const PROTOCOL = 'media-buy';
/** Work that is begun and not over: told as submitted in an answer that did not wait for it, and as working whenever it is looked at. */
const UNDER_WAY = ['submitted', 'working'];

/** Tasks that no release has among the types of tasks it lists: their callers are answered at once, or read them by id. */
const UNNAMED = new Set(['sync_governance', 'provide_performance_feedback']);

/** Lists the caller's tasks, the newest first. */
export function adcpListTasks(): Translator {
  return translator<AdcpListTasksRequest>({
    skill: 'list_tasks',
    task: 'list_tasks',
    title: 'List tasks',
    description:
      'Lists your tasks, the newest first, by statuses, types, ids and times. Submitted and working are found as one: work that is not over.',
    tags: ['tasks'],
    mutates: false,
    examples: [{ filters: { statuses: ['submitted', 'working'] } }],
    input: AdcpListTasksRequest,
    in({ filters = {}, sort = {}, pagination: page, ...request }, { release }) {
      refuseUnsupported(request, NOT_TOLD);
      for (const name of NOT_KEPT_BY) {
        if (filters[name] !== undefined)
          throw invalidRequest(`filters.${name}`, 'the list is not kept by this; leave it out');
      }
      const { field = 'created_at', direction = 'desc' } = sort;
      if (!ORDERS.includes(field)) throw invalidRequest('sort.field', `the list is kept by ${ORDERS.join(' and ')}`);
      const order = { field, direction };
      const statuses = among(filters.status, filters.statuses);
      const protocols = among(filters.protocol, filters.protocols);
      const states = statesAsked(statuses);
      const isNothing = states?.length === 0 || protocols?.includes(PROTOCOL) === false;
      const { updated_after, ...asked } = filters;
      const types = among(filters.task_type, filters.task_types);
      const task_types = types && typesAsked(release, types);
      const input: JsonObject = {
        ...(states !== undefined && { statuses: states }),
        ...given({ task_types, updated_since: updated_after }),
        ...given(Object.fromEntries(AS_THEY_ARE.map((name) => [name, asked[name]]))),
        sort: order,
        ...pageAsked(page),
      };
      const isOfSome = types?.some((type) => isToldApart(release, type)) === true;
      const extra = { order, ...(isNothing && { is_of_none: true }), ...(isOfSome && { types }) };
      return { input: isNothing ? { limit: 1 } : input, extra };
    },
    async out(told, { extra, release, skillsOf }) {
      const result = extra['is_of_none'] === true ? NOTHING : told;
      const { tasks = [] } = result as { tasks?: JsonObject[] };
      const apart = tasks.filter(({ task_type }) => isToldApart(release, task_type));
      const skills = await skillsOf(apart.map(({ task_id }) => String(task_id)));
      const types = extra['types'] as string[] | undefined;
      const rows = tasks
        .filter(({ task_type }) => !UNNAMED.has(String(task_type)))
        .map((row): JsonObject => ({
          ...taskHead(row, release, skills.get(String(row['task_id']))),
          ...{ domain: PROTOCOL, protocol: PROTOCOL },
        }))
        .filter(({ task_type }) => types === undefined || types.includes(String(task_type)));
      const total = exactOnly(Number(result['total']));
      // Of what other pages hold, the type is not known.
      const isCounted = total !== undefined && (types === undefined || total === tasks.length);
      return {
        query_summary: {
          ...(isCounted && { total_matching: total - (tasks.length - rows.length) }),
          returned: rows.length,
          // Absent in what was asked before there was a choice.
          sort_applied: extra['order'] ?? { field: 'updated_at', direction: 'desc' },
        },
        tasks: rows,
        pagination: pagination(result),
      };
    },
    fields: { updated_since: 'filters.updated_after', ...inFilters(['statuses', 'task_types', ...AS_THEY_ARE]) },
  });
}

const NOTHING: JsonObject = { tasks: [], total: 0, has_more: false };

/** Filters that mean the same here. */
const AS_THEY_ARE = ['task_ids', 'created_after', 'created_before', 'updated_before'] as const;

function inFilters(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `filters.${name}`]));
}

/** One and several of the same: any of all. */
function among(one: string | undefined, several: readonly string[] | undefined): string[] | undefined {
  if (one === undefined && several === undefined) return undefined;
  return [...new Set([...(one === undefined ? [] : [one]), ...(several ?? [])])];
}

/** The states that are meant; no task is in a state that is unknown. */
function statesAsked(statuses: readonly string[] | undefined): string[] | undefined {
  if (statuses === undefined) return undefined;
  const isUnderWay = statuses.some((status) => UNDER_WAY.includes(status));
  const others = statuses.filter((status) => status !== 'unknown' && !UNDER_WAY.includes(status));
  return [...(isUnderWay ? UNDER_WAY : []), ...others];
}

function given(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
