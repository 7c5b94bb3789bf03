import { z } from 'zod';
import { normalizeDomain } from '../directory/domain/normalize-domain.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';

/** A domain in any spelling, as the registry writes it (rule R1). */
export const DomainParam = z
  .string()
  .max(INPUT_LIMITS.domainInputLength)
  .transform((text, context) => {
    const domain = normalizeDomain(text)?.domain;
    if (domain === undefined) context.addIssue({ code: 'custom', message: 'this is not a domain name' });
    return domain ?? z.NEVER;
  })
  .describe('A domain, in any spelling');
