import { z } from 'zod';
import { JsonObject } from '../../platform/json-object.ts';
import { FormatId, FormatType } from '../format/format.ts';
import { CreativeReasonCode, CreativeStatus } from './creative.ts';
import type { Creative } from './creative.ts';
import { CreativeUse } from './uses.ts';

/** A creative as answered; names that rule C.tasks.sync_creatives does not have are those of the public protocol. */
export const CreativeView = z.object({
  creative_id: z.string(),
  /** Whose own it is, of the organization's accounts; absent where all of them share it. */
  account_id: z.string().optional(),
  name: z.string(),
  format_id: FormatId,
  format_type: FormatType,
  status: CreativeStatus,
  /** Why it is rejected, suspended or archived. */
  status_reason: z.string().optional(),
  reason_code: CreativeReasonCode.optional(),
  assets: z.record(z.string(), z.record(z.string(), z.unknown())),
  tags: z.array(z.string()),
  /** What its buyer says of it besides, in a dialect of its own. */
  said: JsonObject.optional(),
  created_date: z.string(),
  updated_date: z.string(),
  /** The packages that name it, of buys that are not over; absent unless asked for. */
  assignments: z
    .object({
      assignment_count: z.int(),
      assigned_packages: z.array(CreativeUse),
    })
    .optional(),
});
export type CreativeView = z.infer<typeof CreativeView>;

/** The stored creative as answered; what is null in the store is absent on the wire. `uses`: where it is assigned. */
export function toCreativeView(creative: Creative, uses?: readonly CreativeUse[]): CreativeView {
  const {
    creative_id,
    account_id,
    name,
    format_id,
    format_type,
    status,
    status_reason,
    reason_code,
    assets,
    tags,
    said,
  } = creative;
  return {
    ...{ creative_id, name, format_type, status },
    ...(account_id !== undefined && { account_id }),
    format_id: { agent_url: format_id.agent_url, id: format_id.id },
    ...(status_reason !== null && { status_reason }),
    ...(reason_code !== null && { reason_code }),
    ...{ assets, tags },
    ...(said && { said }),
    created_date: creative.created_at,
    updated_date: creative.updated_at,
    ...(uses && { assignments: { assignment_count: uses.length, assigned_packages: [...uses] } }),
  };
}
