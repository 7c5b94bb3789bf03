import { z } from 'zod';
import { instantField } from '../../platform/instant.ts';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { isCountry } from '../../platform/country.ts';
import { PUBLIC_IDENTIFIER_TYPES, PUBLIC_PROPERTY_TYPES } from '../adagents-validate/public-types.ts';
import { DomainParam } from '../domain-query.ts';

/** An id or a tag, as the public schema writes them. */
const Name = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_]+$/, 'write it in a to z, 0 to 9 and _');
const Names = z.array(Name).min(1).max(1000);

const Property = z.strictObject({
  property_id: Name.optional(),
  property_type: z.enum(PUBLIC_PROPERTY_TYPES),
  name: z.string().min(1).max(400),
  identifiers: z
    .array(z.strictObject({ type: z.enum(PUBLIC_IDENTIFIER_TYPES), value: z.string().min(1).max(1000) }))
    .min(1)
    .max(1000),
  tags: z
    .array(Name)
    .max(200)
    .transform((tags) => [...new Set(tags)])
    .optional(),
  publisher_domain: DomainParam.optional(),
});

const DateTime = instantField('write a date-time such as 2026-06-30T00:00:00Z');

const Agent = z
  .strictObject({
    url: z
      .string()
      .max(2000)
      .transform((text, context) => {
        const url = canonicalAgentUrl(text);
        if (url?.startsWith('https://') === true && !url.includes('?')) return url;
        context.addIssue({ code: 'custom', message: 'send an https URL without credentials and query' });
        return z.NEVER;
      }),
    authorized_for: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .default('Selling inventory of this publisher')
      .describe('In words, what the agent may sell'),
    authorization_type: z.enum(['property_ids', 'property_tags', 'inline_properties']).optional(),
    property_ids: Names.optional(),
    property_tags: Names.optional(),
    properties: z.array(Property).min(1).max(1000).optional().describe('Inline, instead of ids or tags'),
    countries: z
      .array(z.string().refine(isCountry, 'send countries of ISO 3166-1, such as GB'))
      .min(1)
      .max(300)
      .transform((codes) => [...new Set(codes)])
      .optional(),
    effective_from: DateTime.optional(),
    effective_until: DateTime.optional(),
    exclusive: z.boolean().optional(),
    delegation_type: z.enum(['direct', 'delegated', 'ad_network']).optional(),
  })
  .superRefine((agent, context) => {
    const told = SCOPE_MEMBERS.filter(([member]) => agent[member] !== undefined);
    if (told.length > 1)
      context.addIssue({
        code: 'custom',
        path: [told[1]?.[0] ?? ''],
        message: 'send one of property_ids, property_tags, properties',
      });
    const { authorization_type: type, effective_from: from, effective_until: until } = agent;
    if (type !== undefined && told[0]?.[1] !== type)
      context.addIssue({ code: 'custom', path: ['authorization_type'], message: 'send the list that goes with it' });
    if (from !== undefined && until !== undefined && Date.parse(until) <= Date.parse(from))
      context.addIssue({ code: 'custom', path: ['effective_until'], message: 'it must be later than effective_from' });
  });

/** The members of an agent that say what it may sell, and the type that goes with each. */
export const SCOPE_MEMBERS = [
  ['property_ids', 'property_ids'],
  ['property_tags', 'property_tags'],
  ['properties', 'inline_properties'],
] as const;

/** What an adagents.json is to say. */
export const GenerateAdagents = z.strictObject({
  domain: DomainParam.optional().describe('The publisher; needed for agents that may sell all of its inventory'),
  authorized_agents: z.array(Agent).min(1).max(1000),
  properties: z.array(Property).max(1000).optional(),
  contact: z
    .strictObject({
      name: z.string().min(1).max(255),
      email: z.email().max(255).optional(),
      domain: DomainParam.optional(),
      seller_id: z.string().min(1).max(255).optional(),
      tag_id: z.string().min(1).max(100).optional(),
      privacy_policy_url: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .optional(),
    })
    .optional(),
  include_schema: z.boolean().default(true).describe('Name the public schema in `$schema`'),
  include_timestamp: z.boolean().default(true).describe('Write `last_updated`'),
});
export type GenerateAdagents = z.infer<typeof GenerateAdagents>;
