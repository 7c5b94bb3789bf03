import { z } from 'zod';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { AuthorizationSource } from '../../directory/authorization/authorization.ts';
import { LIMITS, REASONS } from '../../directory/authorization/judge.ts';
import type { VerdictCode } from '../../directory/authorization/judge.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { countryParam } from '../country-param.ts';
import { instantParam } from '../instant-param.ts';

const Agent = z
  .string()
  .max(2000)
  .transform((text, context) => {
    const url = canonicalAgentUrl(text);
    if (url === undefined) context.addIssue({ code: 'custom', message: "send the agent's http or https URL" });
    return url ?? z.NEVER;
  })
  .describe("The agent's URL, in any spelling");

const Domain = z.string().max(INPUT_LIMITS.domainInputLength);

const Publisher = Domain.transform((text, context) => {
  const domain = normalizeDomain(text)?.domain;
  if (domain === undefined) context.addIssue({ code: 'custom', message: 'this is not a domain name' });
  return domain ?? z.NEVER;
})
  .optional()
  .describe("The publisher's domain; without it, the publisher is found by the property");

const At = instantParam().optional().describe('When; default now');

/** May this agent sell this property, in this country, at this time? */
export const AuthorizationQuestion = z
  .strictObject({
    agent: Agent,
    property: Domain.min(1, 'send a domain, or a property of the publisher')
      .optional()
      .describe(
        "A domain; or, beside `publisher`, also a property_id or another identifier of its file, such as an app's bundle, which would be taken for a domain without it: any file may name any bundle, and `GET /api/registry/lookup/property` tells whose do. Without `property`: any of the publisher's inventory",
      ),
    publisher: Publisher,
    country: countryParam().optional().describe('Two letters of ISO 3166-1; without it: anywhere'),
    at: At,
  })
  .refine(({ property, publisher }) => property !== undefined || publisher !== undefined, {
    path: ['property'],
    error: 'send a property, or a publisher',
  });
export type AuthorizationQuestion = z.infer<typeof AuthorizationQuestion>;

export const AuthorizationQuestions = z.strictObject({
  questions: z
    .array(AuthorizationQuestion)
    .min(1, 'ask at least one question')
    .max(1000, 'ask at most 1,000 questions'),
});

const Entry = z.object({
  entry_id: z
    .string()
    .nullable()
    .describe('The same for the same entry; null for one of the operator, or read by 0.1.0'),
  file_of: z.string().describe('Whose file it is in: the publisher, or its manager'),
  source: AuthorizationSource,
  source_url: z.string().nullable(),
  seen_at: z.string(),
  authorized_for: z.string(),
  valid: z.boolean().describe('Now, at the time that was asked about: neither over, nor yet to begin, nor revoked'),
  valid_from: z.string().nullable().describe('Null: always'),
  valid_until: z.string().nullable().describe('The first instant at which it is over; null: never'),
  delegation_type: z.string().nullable(),
  exclusive: z.boolean(),
  published: z.record(z.string(), z.unknown()).nullable().describe('The entry as its publisher wrote it; null in bulk'),
});

/** Yes or no, and why. */
export const AuthorizationAnswer = z.object({
  agent: z.string(),
  publisher: z.string().nullable().describe('Null where nobody knows whose the property is'),
  property: z.string().nullable(),
  country: z.string().nullable(),
  at: z.string(),
  authorized: z.boolean(),
  code: z.enum(Object.keys(REASONS) as [VerdictCode, ...VerdictCode[]]),
  reason: z.string(),
  limited_by: z
    .array(z.enum(LIMITS))
    .describe('By what a yes is limited to some of what was asked: ask with a property or country, or read the entry'),
  entry: Entry.nullable().describe('The entry that decides; of a no the one that came nearest to a yes'),
  other_entries: z.array(z.string()).describe('Further entries that let the agent sell some of it, by entry_id'),
});
export type AuthorizationAnswer = z.infer<typeof AuthorizationAnswer>;
export const AuthorizationAnswers = z.object({ answers: z.array(AuthorizationAnswer) });
export type AuthorizationAnswers = z.infer<typeof AuthorizationAnswers>;
