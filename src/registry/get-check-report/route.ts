import { z } from 'zod';
import { PropertyReport, propertyReports } from '../../directory/property-report/property-report.ts';
import { AppError } from '../../platform/errors.ts';
import { endpoint } from '../endpoint.ts';

/** A stored report, for 7 days (rule R3). */
export const getCheckReport = endpoint({
  id: 'getCheckReport',
  method: 'get',
  path: '/api/properties/check/{report_id}',
  tag: 'Properties',
  summary: 'Read a stored report of a property check',
  access: 'public',
  effect: 'read',
  limit: { name: 'get-check-report', points: 300, seconds: 60, per: 'address' },
  params: z.object({ report_id: z.string().min(1).max(100) }),
  responses: { 200: { description: 'The report as it was answered', schema: PropertyReport } },

  async handle({ params }, { store }) {
    const stored = await store.collection(propertyReports).get(params.report_id);
    if (!stored) throw new AppError('NOT_FOUND', 'no such report; reports are kept for 7 days');
    return { body: JSON.parse(stored.report_json) };
  },
});
