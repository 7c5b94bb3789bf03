import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { formatKey } from '../../sales/format/format.ts';
import { filterFormats } from '../../sales/format/format-filters.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { pageEnd, pageOf } from '../paging.ts';
import { ListCreativeFormatsRequest, ListCreativeFormatsResponse } from './schema.ts';

/** Lists what creatives must look like (rule C.tasks.lists). */
export function listCreativeFormats({ catalog }: TaskDependencies): TaskDefinition {
  return inlineTask<ListCreativeFormatsRequest>({
    name: 'list_creative_formats',
    title: 'List creative formats',
    description:
      'Lists the creative formats that are taken here, with dimensions, requirements and the schema of each asset.',
    tags: ['creative', 'discovery'],
    examples: [
      { title: 'Video formats', input: { format_types: ['video'] } },
      { title: 'Banners of at most 320 pixels', input: { asset_types: ['image'], max_width: 320 } },
    ],
    scope: 'tasks:read',
    input: ListCreativeFormatsRequest,
    output: ListCreativeFormatsResponse,
    answer({ limit, cursor, context: _context, push_notification_config: _config, ...filters }) {
      const matching = filterFormats(catalog.formats.values(), filters);
      const keyOf = ({ format_id }: (typeof matching)[number]) => formatKey(format_id);
      const page = pageOf(matching, { limit, cursor, of: ['list_creative_formats', filters], keyOf });
      const result: ListCreativeFormatsResponse = {
        formats: page.items,
        total_matching: matching.length,
        ...pageEnd(page.cursor),
      };
      return Promise.resolve({ result, message: `${page.items.length} of ${matching.length} matching formats` });
    },
  });
}
