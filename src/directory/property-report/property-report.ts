import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { BlockedDomainType } from '../blocked-domain/blocked-domain.ts';
import { PublisherSource } from '../publisher/publisher.ts';

const Count = z.number().int().min(0);

/** What a list of publisher domains came to (rule C.resources.check-report). */
export const PropertyReport = z.object({
  summary: z.object({ total: Count, remove: Count, modify: Count, assess: Count, ok: Count }),
  remove: z.array(
    z.object({
      input: z.string(),
      canonical: z.string(),
      reason: z.enum(['duplicate', 'blocked']),
      domain_type: BlockedDomainType.optional(),
      blocked_reason: z.string().optional(),
    }),
  ),
  modify: z.array(
    z.object({
      input: z.string(),
      canonical: z.string(),
      reason: z.enum(['www_stripped', 'm_stripped', 'normalized']),
    }),
  ),
  assess: z.array(z.object({ domain: z.string() })),
  ok: z.array(
    z.object({
      domain: z.string(),
      source: PublisherSource,
      seen_at: z
        .string()
        .optional()
        .describe('When what is known of it was last read from its file, or else last changed here'),
    }),
  ),
  report_id: z.uuid(),
  expires_at: z.string().optional().describe('Until when the report can be read'),
});
export type PropertyReport = z.infer<typeof PropertyReport>;

/** A report as it is kept for 7 days. The report is one text, as it was answered: it is read whole or not at all. */
export const StoredPropertyReport = z.object({
  report_id: z.string(),
  /** Empty where the report is compressed. */
  report_json: z.string(),
  /** The report's JSON as gzip in base64; absent in rows of 0.1.0. */
  report_gzip: z.string().optional(),
  created_at: z.string(),
  expires_at: z.string(),
  revision: z.number().int(),
});
export type StoredPropertyReport = z.infer<typeof StoredPropertyReport>;

export const propertyReports: CollectionSpec<StoredPropertyReport> = {
  name: 'property_reports',
  key: 'report_id',
  schema: StoredPropertyReport,
  indexes: [],
  expires: 'expires_at',
};

/** How long a report is kept (rules C.limits.report, R3), in milliseconds. */
export const REPORT_RETENTION_MS = 7 * 24 * 3_600_000;
