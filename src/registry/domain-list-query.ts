import { z } from 'zod';
import { wholeNumberParam } from './whole-number-param.ts';

/** Of a list of domains by name, under a path of the public registry (rule R16.pages). `more` is told of `search` besides. */
export function domainListQuery(more = '') {
  return z.strictObject({
    search: z
      .string()
      .max(300)
      .transform((text) => text.trim().toLowerCase())
      .optional()
      .describe(`What the domain begins with${more}`),
    limit: wholeNumberParam(1, 100).optional().describe('Default 50'),
    offset: wholeNumberParam(0, 1000).optional().describe('How many to pass over; default 0'),
    after: z.string().max(300).optional().describe('Only domains after this one'),
  });
}
