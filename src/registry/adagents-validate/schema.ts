import { z } from 'zod';
import { LIMITS, REASONS } from '../../directory/authorization/judge.ts';
import type { VerdictCode } from '../../directory/authorization/judge.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { countryParam } from '../country-param.ts';

/** A file to look at, or a domain to fetch it from. */
export const ValidateAdagents = z.strictObject({
  domain: z
    .string()
    .min(1)
    .max(INPUT_LIMITS.domainInputLength)
    .describe('The publisher; without a file, it is fetched from there as a crawl would, and nothing is stored'),
  file: z.looseObject({}).optional().describe('An adagents.json that is not published yet'),
  country: countryParam().optional().describe('Where buyers ask; default: anywhere'),
});

const ToldFinding = z.object({
  pointer: z.string().describe('JSON pointer into the file (RFC 6901)'),
  message: z.string(),
  fix: z.string(),
  source_url: z.string().nullable().describe('The URL of the file that has it; null for a file that was sent'),
});

/** What is wrong with a published file, in the shape of the public registry. */
export const PropertyValidation = z.object({
  valid: z.boolean().describe('The file that counts can be read and has no errors'),
  domain: z.string(),
  url: z.string().optional().describe('The URL that answered with it'),
  errors: z.array(z.string()),
  warnings: z.array(z.string()),
});
export type PropertyValidation = z.infer<typeof PropertyValidation>;

/** The same with what the file has. */
export const PublisherValidation = PropertyValidation.extend({
  agent_count: z.int(),
  property_count: z.int(),
  property_type_counts: z.record(z.string(), z.int()),
  tag_count: z.int(),
});

/** What is wrong, what is odd, and what buyers will be answered. */
export const AdagentsValidation = z.object({
  success: z.boolean().describe('The question could be answered; not that the file is good'),
  data: z.object({
    domain: z.string(),
    found: z.boolean(),
    source_url: z.string().nullable().describe('The URL that answered with it; null for a file that was sent'),
    validation: z
      .object({
        valid: z.boolean().describe('The file that counts can be read and has no errors'),
        errors: z.array(ToldFinding).describe('What does not count because of it; the first 100'),
        warnings: z.array(ToldFinding).describe('What is surely not meant so; the first 100'),
        problems: z.array(z.string()).describe('What a crawl would tell of it; the first 100'),
      })
      .optional(),
    failure: z.string().optional().describe('Why it cannot be read'),
    manager: z
      .object({
        domain: z.string(),
        source_url: z
          .string()
          .nullable()
          .describe('The URL that answered with its file; null where that cannot be read'),
        failure: z.string().optional().describe('Why its file cannot be read'),
      })
      .optional()
      .describe(
        'Whom its ads.txt names (MANAGERDOMAIN), where it has no file: `conclusions` are by the file of that one',
      ),
    conclusions: z
      .array(
        z.object({
          agent: z.string(),
          property: z.string().nullable().describe('Null: any of the inventory'),
          authorized: z.boolean(),
          code: z.enum(Object.keys(REASONS) as [VerdictCode, ...VerdictCode[]]),
          reason: z.string(),
          limited_by: z.array(z.enum(LIMITS)),
        }),
      )
      .describe('What buyers will be answered of the first 50 agents, in all and for the first 20 properties'),
  }),
  timestamp: z.string(),
});
