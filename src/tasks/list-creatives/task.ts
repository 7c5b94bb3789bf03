import { MOST_COUNTED, totalInWords } from '../../runtime/list.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { toCreativeView } from '../../sales/creative/creative-view.ts';
import { creativeUses } from '../../sales/creative/uses.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { pageEnd } from '../paging.ts';
import { creativesWhere } from './query.ts';
import { ListCreativesRequest, ListCreativesResponse } from './schema.ts';

/** Lists the caller's creatives, the newest first (rule C.tasks.lists). */
export function listCreatives(deps: TaskDependencies): TaskDefinition {
  return inlineTask<ListCreativesRequest>({
    name: 'list_creatives',
    title: 'List creatives',
    description: 'Lists your creatives with their review state and the packages they are assigned to, newest first.',
    tags: ['creative'],
    examples: [
      { title: 'Approved video', input: { filters: { status: ['approved'], format_types: ['video'] }, limit: 20 } },
      { title: 'What was rejected, and why', input: { filters: { status: ['rejected'] }, include_assignments: false } },
    ],
    scope: 'tasks:read',
    input: ListCreativesRequest,
    output: ListCreativesResponse,
    async answer({ filters, include_assignments, limit, cursor }, { caller: { organization_id } }) {
      const where = await creativesWhere(deps, organization_id, filters);
      const [page, total_matching, uses] = await Promise.all([
        deps.creatives.find({
          where,
          sort: { field: 'created_at', direction: 'desc' },
          limit,
          ...(cursor !== undefined && { after: cursor }),
        }),
        deps.creatives.count(where, { most: MOST_COUNTED }),
        include_assignments ? creativeUses(deps.mediaBuys, organization_id) : undefined,
      ]);
      const usesOf = (creative_id: string) => uses && (uses.get(creative_id) ?? []);
      const result: ListCreativesResponse = {
        creatives: page.rows.map((row) => toCreativeView(row, usesOf(row.creative_id))),
        query_summary: { total_matching, returned: page.rows.length },
        ...pageEnd(page.cursor),
      };
      return { result, message: `${page.rows.length} of ${totalInWords(total_matching)} matching creatives` };
    },
  });
}
