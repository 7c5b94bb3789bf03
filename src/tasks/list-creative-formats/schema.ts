import { z } from 'zod';
import { Format } from '../../sales/format/format.ts';
import { formatFilterFields } from '../../sales/format/format-filters.ts';
import { readFields } from '../mutation-fields.ts';
import { pageFields, pageView } from '../paging.ts';

/** The request of `list_creative_formats` (rule C.tasks.lists). */
export const ListCreativeFormatsRequest = z.strictObject({ ...formatFilterFields, ...pageFields, ...readFields });
export type ListCreativeFormatsRequest = z.infer<typeof ListCreativeFormatsRequest>;

/** The response of `list_creative_formats`: dimensions, requirements and asset schemas. */
export const ListCreativeFormatsResponse = z.strictObject({
  formats: z.array(Format),
  /** How many formats passed the filters, on all pages. */
  total_matching: z.int(),
  ...pageView,
});
export type ListCreativeFormatsResponse = z.infer<typeof ListCreativeFormatsResponse>;
