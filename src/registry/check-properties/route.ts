import { z } from 'zod';
import {
  PropertyReport,
  propertyReports,
  REPORT_RETENTION_MS,
} from '../../directory/property-report/property-report.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
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
  limit: { name: 'check-properties', points: 60, seconds: 60, per: 'address' },
  body: CheckRequest,
  bodyBytes: INPUT_LIMITS.propertyCheckBodyBytes,
  responses: { 200: { description: 'The report; every input is in exactly one bucket', schema: PropertyReport } },

  async handle({ body }, { store, clock, ids, findBlocked }) {
    const verdicts = await judgeDomains(body.domains, findBlocked);
    const unchanged = verdicts.flatMap((verdict) => (verdict.kind === 'unchanged' ? [verdict.canonical] : []));
    const known = await store.collection(publishers).getMany(unchanged);
    const sources = new Map(known.map((row) => [row.publisher_domain, row.source]));
    const report: PropertyReport = {
      ...sortDomains(verdicts, (domain) => sources.get(domain)),
      report_id: ids.newId(),
    };
    const now = clock.now();
    await store.collection(propertyReports).insert({
      report_id: report.report_id,
      report_json: JSON.stringify(report),
      created_at: toTimestamp(now),
      expires_at: toTimestamp(now + REPORT_RETENTION_MS),
      revision: 1,
    });
    return { body: report };
  },
});
