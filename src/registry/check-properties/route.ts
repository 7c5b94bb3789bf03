import { z } from 'zod';
import { keepReport } from '../../directory/property-report/keep-report.ts';
import { PropertyReport, REPORT_RETENTION_MS } from '../../directory/property-report/property-report.ts';
import { PublisherSource, publishers } from '../../directory/publisher/publisher.ts';
import { addressKey } from '../../platform/client-address.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { endpoint } from '../endpoint.ts';
import { judgeDomains, sortDomains } from './sort-domains.ts';

/** A list of publisher domains (rule C.resources.check-request). */
const CheckRequest = z.object({
  domains: z.array(z.string()).max(10_000, 'send at most 10000 domains').describe('Publisher domains, in any spelling'),
});
type CheckRequest = z.infer<typeof CheckRequest>;

/** Sorts a list of publisher domains (rules C.endpoints.check, R1, R2, R3). */
export const checkProperties = endpoint({
  id: 'checkProperties',
  method: 'post',
  path: '/api/properties/check',
  tag: 'Properties',
  summary: 'Check a list of publisher domains',
  description:
    'Normalizes the domains, finds duplicates and known ad-tech infrastructure, and says which the registry knows. The report is kept for 7 days.',
  access: 'public',
  effect: 'read',
  limit: 'check_properties',
  body: CheckRequest,
  bodyBytes: INPUT_LIMITS.propertyCheckBodyBytes,
  responses: { 200: { description: 'The report; every input is in exactly one bucket', schema: PropertyReport } },

  async handle({ body }, call) {
    const { store, ids, blockList, clock } = call;
    const from = addressKey(call.address);
    // Who has nothing left costs no more than this look.
    await call.budgets.check('property_reports', from);
    const verdicts = await judgeDomains(body.domains, await blockList.finder());
    const unchanged = verdicts.flatMap((verdict) => (verdict.kind === 'unchanged' ? [verdict.canonical] : []));
    const rows = store.collection(publishers);
    const sources = await rows.getField(unchanged, 'source');
    const seen = await rows.getField([...sources.keys()], 'seen_at');
    const report = {
      ...sortDomains(verdicts, (domain) => {
        const source = sourceOf(sources.get(domain));
        return source && { source, seen_at: seen.get(domain) };
      }),
      report_id: ids.newId(),
      expires_at: toTimestamp(clock.now() + REPORT_RETENTION_MS),
    };
    await keepReport(call, report, async (bytes) => {
      await call.budgets.take('property_reports', from, bytes);
    });
    return { body: report };
  },
});

/** Parsing thousands of the same three words costs more than finding them. */
function sourceOf(stored: string | undefined): PublisherSource | undefined {
  return PublisherSource.options.find((source) => source === stored);
}
