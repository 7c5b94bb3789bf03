import { z } from 'zod';
import { addressKey } from '../../platform/client-address.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { endpoint } from '../endpoint.ts';
import type { Answer, EndpointCall } from '../endpoint.ts';
import { exportLines, LINE_FORMATS } from './lines.ts';
import { EXPORT_TABLES } from './tables.ts';

const What = z.object({
  what: z.enum(['agents', 'publishers', 'authorizations']).describe('Entries are as published, with their dates'),
});
const After = z.strictObject({
  after: z.string().max(2000).default('').describe("Only rows behind this key, a row's first member"),
});

/** What both have in common. */
const shared = {
  method: 'get' as const,
  tag: 'Registry',
  access: 'public' as const,
  effect: 'read' as const,
  limit: 'export' as const,
  ...{ params: What, query: After },
};

/** Rule R15.export. */
export const exportCsv = endpoint({
  ...shared,
  id: 'exportCsv',
  path: '/api/registry/export/{what}.csv',
  summary: 'Take all public agents, publishers or published entries as a table',
  description:
    'Streamed in the order of the first column, with a header row unless `after` says where to go on. A cell that a spreadsheet would take for a formula begins with an apostrophe.',
  responses: { 200: { description: 'RFC 4180, UTF-8', contentType: 'text/csv' } },
  handle: (input, call) => answer('csv', input, call),
});

/** Rule R15.export. */
export const exportNdjson = endpoint({
  ...shared,
  id: 'exportNdjson',
  path: '/api/registry/export/{what}.ndjson',
  summary: 'Take all public agents, publishers or published entries, one JSON object a line',
  description: 'Streamed in the order of the first member; `after` says behind which to go on.',
  responses: { 200: { description: 'One row a line', contentType: 'application/x-ndjson' } },
  handle: (input, call) => answer('ndjson', input, call),
});

async function answer(
  format: keyof typeof LINE_FORMATS,
  { params: { what }, query: { after } }: { params: z.infer<typeof What>; query: z.infer<typeof After> },
  { store, clock, budgets, address }: EndpointCall,
): Promise<Answer> {
  const own = await budgets.hold('exports', addressKey(address));
  const common = await budgets.hold('all_exports', '').catch((error: unknown) => {
    own.letGo();
    throw error;
  });
  const name = `${what}-${toTimestamp(clock.now()).slice(0, 10)}.${format}`;
  return {
    async *stream(signal) {
      try {
        yield* exportLines(store, EXPORT_TABLES[what], { format: LINE_FORMATS[format], after, signal });
      } finally {
        own.letGo();
        common.letGo();
      }
    },
    headers: { 'Cache-Control': 'no-cache', 'Content-Disposition': `attachment; filename="${name}"` },
  };
}
