import { z } from 'zod';
import { CreativeStatus } from '../../sales/creative/creative.ts';
import { CreativeView } from '../../sales/creative/creative-view.ts';
import { FormatId, FormatType } from '../../sales/format/format.ts';
import { Instant } from '../../platform/instant.ts';
import { readFields } from '../mutation-fields.ts';
import { pageFields, pageView } from '../paging.ts';

const Id = z.string().min(1).max(255);
const Ids = z.array(Id).max(100, 'must be at most 100');
const Tags = z.array(z.string().trim().min(1).max(64)).max(50, 'must be at most 50');

/** The filters of `list_creatives`. All that are given must hold; an empty list asks nothing. */
export const CreativeFilters = z.strictObject({
  status: z
    .array(CreativeStatus)
    .optional()
    .describe('Archived creatives are left out unless asked for here or by creative_ids.'),
  statuses: z.array(CreativeStatus).optional().describe("The public protocol's name for status."),
  format_types: z.array(FormatType).optional(),
  format_ids: z.array(FormatId).max(1000).optional(),
  tags: Tags.optional().describe('Has every one of these.'),
  tags_any: Tags.optional().describe('Has one of these.'),
  name_contains: z.string().min(1).max(255).optional().describe('Part of the name, in any case.'),
  creative_ids: Ids.optional(),
  media_buy_ids: z
    .array(Id.brand<'MediaBuyId'>())
    .max(100, 'must be at most 100')
    .optional()
    .describe('Assigned to a package of one of these buys.'),
  created_after: Instant.optional().describe('First stored after that.'),
  created_before: Instant.optional().describe('First stored before that.'),
  updated_after: Instant.optional().describe('Changed last after that.'),
  updated_before: Instant.optional().describe('Changed last before that.'),
  unassigned: z
    .boolean()
    .optional()
    .describe('true: no package of a media buy that is not over names it; false: one does.'),
  package_ids: Ids.optional().describe('Assigned to one of these packages.'),
  account_ids: Ids.optional().describe(
    'Of the libraries that these accounts of yours have in AdCP; with all_libraries.',
  ),
});
export type CreativeFilters = z.infer<typeof CreativeFilters>;

/** What creatives can be listed by; each stands in an index. */
export const CreativeSort = z.strictObject({
  field: z.enum(['created_date', 'updated_date', 'name']).default('created_date'),
  direction: z.enum(['asc', 'desc']).default('desc'),
});
export type CreativeSort = z.infer<typeof CreativeSort>;

/** The request of `list_creatives` (rule C.tasks.lists). */
export const ListCreativesRequest = z.strictObject({
  filters: CreativeFilters.default({}),
  sort: CreativeSort.prefault({}),
  include_assignments: z.boolean().default(true),
  all_libraries: z
    .boolean()
    .default(false)
    .describe('Also the creatives that accounts of yours have in AdCP for themselves; each says its account_id.'),
  ...pageFields,
  ...readFields,
});
export type ListCreativesRequest = z.infer<typeof ListCreativesRequest>;

/** The response of `list_creatives`, the newest creative first unless another order is asked for. */
export const ListCreativesResponse = z.strictObject({
  creatives: z.array(CreativeView),
  query_summary: z.strictObject({
    /** On all pages. */
    total_matching: z.int(),
    returned: z.int(),
  }),
  ...pageView,
});
export type ListCreativesResponse = z.infer<typeof ListCreativesResponse>;
