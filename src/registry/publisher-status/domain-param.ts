import { z } from 'zod';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';

/** A publisher's domain in a path or a query; by rule R1 once parsed. */
export const DomainParam = z
  .string()
  .min(1)
  .max(300)
  .transform((text, check) => {
    const domain = normalizeDomain(text)?.domain;
    if (domain !== undefined) return domain;
    check.addIssue({ code: 'custom', message: 'send a domain name, such as publisher.example' });
    return z.NEVER;
  })
  .describe('A domain, in any spelling');
