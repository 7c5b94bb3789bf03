import { totalInWords } from '../../runtime/list.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { creativeRef } from '../../sales/creative/creative-ref.ts';
import { toCreativeView } from '../../sales/creative/creative-view.ts';
import { creativeUses } from '../../sales/creative/uses.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { pageEnd } from '../paging.ts';
import { creativesWhere } from './query.ts';
import { seenCount, seenPage } from './seen-page.ts';
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
    async answer(
      { filters, sort, include_assignments, all_libraries, limit, cursor },
      { caller: { organization_id }, account_id },
    ) {
      const owner = { organization_id, account_id };
      const query = await creativesWhere(deps, owner, { filters, all_libraries, sort });
      const [page, total_matching, uses] = await Promise.all([
        seenPage(deps.creatives, query, { limit, cursor }),
        seenCount(deps.creatives, query),
        include_assignments ? creativeUses(deps.mediaBuys, owner) : undefined,
      ]);
      const usesOf = (row: Creative) => uses && (uses.get(creativeRef(row)) ?? []);
      const result: ListCreativesResponse = {
        creatives: page.rows.map((row) => toCreativeView(row, usesOf(row))),
        query_summary: { total_matching, returned: page.rows.length },
        ...pageEnd(page.cursor),
      };
      return { result, message: `${page.rows.length} of ${totalInWords(total_matching)} matching creatives` };
    },
  });
}
