import { z } from 'zod';
import { CreativeStatus } from '../../sales/creative/creative.ts';
import { CreativeView } from '../../sales/creative/creative-view.ts';
import { FormatType } from '../../sales/format/format.ts';
import { Instant } from '../create-media-buy/start-time.ts';
import { readFields } from '../mutation-fields.ts';
import { pageFields, pageView } from '../paging.ts';

const Id = z.string().min(1).max(255);
const Ids = z.array(Id).max(100, 'must be at most 100');

/** The filters of `list_creatives`. All that are given must hold; an empty list asks nothing. */
export const CreativeFilters = z.strictObject({
  status: z
    .array(CreativeStatus)
    .optional()
    .describe('Archived creatives are left out unless asked for here or by creative_ids.'),
  statuses: z.array(CreativeStatus).optional().describe("The public protocol's name for status."),
  format_types: z.array(FormatType).optional(),
  creative_ids: Ids.optional(),
  media_buy_ids: z
    .array(Id.brand<'MediaBuyId'>())
    .max(100, 'must be at most 100')
    .optional()
    .describe('Assigned to a package of one of these buys.'),
  created_after: Instant.optional().describe('First stored after that.'),
  created_before: Instant.optional().describe('First stored before that.'),
  package_ids: Ids.optional().describe('Assigned to one of these packages.'),
  account_ids: Ids.optional().describe(
    'Of the libraries that these accounts of yours have in AdCP; with all_libraries.',
  ),
});
export type CreativeFilters = z.infer<typeof CreativeFilters>;

/** The request of `list_creatives` (rule C.tasks.lists). */
export const ListCreativesRequest = z.strictObject({
  filters: CreativeFilters.default({}),
  include_assignments: z.boolean().default(true),
  all_libraries: z
    .boolean()
    .default(false)
    .describe('Also the creatives that accounts of yours have in AdCP for themselves; each says its account_id.'),
  ...pageFields,
  ...readFields,
});
export type ListCreativesRequest = z.infer<typeof ListCreativesRequest>;

/** The response of `list_creatives`, the newest creative first. */
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
