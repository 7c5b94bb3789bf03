import { z } from 'zod';
import { invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { EnvelopeFields } from '../envelope.ts';
import { pageAsked, Pagination, pagination } from '../pagination.ts';
import { taskHead } from '../task-view.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';

const Names = z.array(z.string().max(128)).max(50);
const Instant = z.iso.datetime({ offset: true, error: 'send an RFC 3339 date-time with an offset' });

const AdcpListTasksRequest = z.looseObject({
  ...EnvelopeFields.shape,
  filters: z
    .looseObject({
      status: z.string().max(64).optional(),
      statuses: Names.optional(),
      task_type: z.string().max(128).optional(),
      task_types: Names.optional(),
      updated_after: Instant.optional(),
    })
    .optional(),
  sort: z
    .looseObject({ field: z.string().max(64).optional(), direction: z.enum(['asc', 'desc']).optional() })
    .optional(),
  pagination: Pagination.optional(),
});
type AdcpListTasksRequest = z.infer<typeof AdcpListTasksRequest>;

/** Filters that the list is not kept by. */
const NOT_KEPT_BY = [
  'created_after',
  'created_before',
  'updated_before',
  'task_ids',
  'context_contains',
  'has_webhook',
];

/** Tasks that no release has among the types of tasks it lists: their callers are answered at once, or read them by id. */
const UNNAMED = new Set(['sync_governance', 'provide_performance_feedback']);

/** Lists the caller's tasks, the one that changed last first. */
export function adcpListTasks(): Translator {
  return translator<AdcpListTasksRequest>({
    skill: 'list_tasks',
    task: 'list_tasks',
    title: 'List tasks',
    description: 'Lists your tasks, the one that changed last first, by one status, one task type and time.',
    tags: ['tasks'],
    mutates: false,
    examples: [{ filters: { statuses: ['working'] } }],
    input: AdcpListTasksRequest,
    in({ filters = {}, sort, pagination: page }) {
      for (const name of NOT_KEPT_BY) {
        if (filters[name] !== undefined)
          throw invalidRequest(`filters.${name}`, 'the list is not kept by this; leave it out');
      }
      const by = sort?.field ?? 'updated_at';
      if (by !== 'updated_at') throw invalidRequest('sort.field', 'the list is kept by updated_at');
      if (sort?.direction === 'asc') throw invalidRequest('sort.direction', 'the newest comes first; send desc');
      const status = oneOf('statuses', filters.status, filters.statuses);
      const task_type = oneOf('task_types', filters.task_type, filters.task_types);
      const input: JsonObject = {
        ...(status !== undefined && { status }),
        ...(task_type !== undefined && { task_type }),
        ...(filters.updated_after !== undefined && { updated_since: filters.updated_after }),
        ...pageAsked(page),
      };
      return { input };
    },
    out(result) {
      const { tasks = [] } = result as { tasks?: JsonObject[] };
      const named = tasks.filter(({ task_type }) => !UNNAMED.has(String(task_type)));
      const rows = named.map((row) => ({
        ...taskHead(row),
        ...{ domain: 'media-buy', protocol: 'media-buy' },
      }));
      return {
        query_summary: {
          ...{ total_matching: Number(result['total']) - (tasks.length - named.length), returned: rows.length },
          sort_applied: { field: 'updated_at', direction: 'desc' },
        },
        tasks: rows,
        pagination: pagination(result),
      };
    },
  });
}

function oneOf(name: string, one: string | undefined, several: readonly string[] = []): string | undefined {
  const all = [...new Set([...(one === undefined ? [] : [one]), ...several])];
  if (all.length > 1) throw invalidRequest(`filters.${name}`, 'the list is kept by one at a time; send one');
  return all[0];
}
