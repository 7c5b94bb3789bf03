import { z } from 'zod';
import { readReport } from '../../directory/property-report/keep-report.ts';
import { PropertyReport } from '../../directory/property-report/property-report.ts';
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
  limit: 'get_check_report',
  params: z.object({ report_id: z.string().min(1).max(100) }),
  responses: { 200: { description: 'The report as it was answered', schema: PropertyReport } },

  async handle({ params }, { store }) {
    const body = await readReport({ store }, params.report_id);
    if (body === undefined) throw new AppError('NOT_FOUND', 'no such report; reports are kept for 7 days');
    return { body };
  },
});
