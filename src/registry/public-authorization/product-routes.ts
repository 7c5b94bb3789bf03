import { z } from 'zod';
import { LIMITS, REASONS } from '../../directory/authorization/judge.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { endpoint } from '../endpoint.ts';
import type { ClaimedProperty } from './claims-of-agent.ts';
import { groundOf, judgeSelectors, tooMuch } from './judge-selectors.ts';
import { CODES, ProductInventory } from './schema.ts';

/** Names told of what may not be sold. */
const MOST_NAMES = 100;
/** Of what selectors stand for, as JSON: as much as one file's properties. */
const MOST_CHARACTERS = 4_000_000;

/** All that a product sells, under the path of the public registry (rules R15.scope, R16.public). */
export const validateProductAuthorization = endpoint({
  id: 'validateProductAuthorization',
  method: 'post',
  path: '/api/registry/validate/product-authorization',
  tag: 'Registry',
  summary: "Ask whether an agent may sell all of a product's properties",
  description:
    'Yes only where each selector is: all that it means is known, and the agent may sell it. Countries, placements and collections that a yes is limited to stand in `limited_by`.',
  access: 'public',
  effect: 'read',
  limit: 'check_authorizations',
  body: ProductInventory,
  responses: {
    200: {
      description: 'Yes or no, and why, for each selector',
      schema: z.object({
        agent_url: z.string(),
        authorized: z.boolean(),
        checked_at: z.string(),
        selectors: z.array(
          z.object({
            publisher_domain: z.string(),
            authorized: z.boolean(),
            code: CODES,
            reason: z.string(),
            limited_by: z.array(z.enum(LIMITS)),
            properties_count: z.int().min(0).describe('Properties meant that the agent may sell'),
            refused: z.array(z.string()).describe('The first of those that it may not, or that nobody knows'),
            source_urls: z
              .array(z.string())
              .describe('Of a yes: the files that say so; none where the operator entered it'),
            seen_at: z.string().nullable().describe('Of a yes: when the oldest of that was read'),
            valid_until: z.string().nullable().describe('Of a yes: the first instant at which some of it is over'),
          }),
        ),
      }),
    },
  },

  async handle({ body }, { store, clock }) {
    const nowMs = clock.now();
    const verdicts = await judgeSelectors(store, body, nowMs);
    return {
      body: {
        ...{ agent_url: body.agent_url, authorized: verdicts.every((one) => one.authorized) },
        checked_at: toTimestamp(nowMs),
        selectors: verdicts.map(({ publisher_domain, authorized, code, limited_by, sold, refused, by }) => ({
          ...{ publisher_domain, authorized, code, reason: REASONS[code], limited_by },
          ...{ properties_count: sold.length, refused: refused.slice(0, MOST_NAMES) },
          ...groundOf(authorized ? by : []),
        })),
      },
    };
  },
});

/** What a product's selectors stand for, as far as the agent may sell it (rules R15.scope, R16.public). */
export const expandProductIdentifiers = endpoint({
  id: 'expandProductIdentifiers',
  method: 'post',
  path: '/api/registry/expand/product-identifiers',
  tag: 'Registry',
  summary: "Expand a product's selectors to the identifiers that the agent may sell",
  description:
    'Whole or not at all: what means more than 2,000 properties, or would be answered with more than 4,000,000 characters, is refused. Ask for fewer publishers at once then, or for some of their properties by `property_ids`.',
  access: 'public',
  effect: 'read',
  limit: 'check_authorizations',
  body: ProductInventory,
  responses: {
    200: {
      description: 'What the agent may sell of it now; what it may not is left out',
      schema: z.object({
        agent_url: z.string(),
        properties: z.array(
          z.object({
            publisher_domain: z.string(),
            property_id: z.string().nullable(),
            name: z.string().nullable(),
            property_type: z.string().nullable(),
            tags: z.array(z.string()),
          }),
        ),
        identifiers: z.array(
          z.object({
            type: z.string(),
            value: z.string(),
            property_id: z.string().describe('Empty where the publisher gave none'),
            publisher_domain: z.string(),
          }),
        ),
        property_count: z.int().min(0),
        identifier_count: z.int().min(0),
        generated_at: z.string(),
      }),
    },
  },

  async handle({ body }, { store, clock }) {
    const nowMs = clock.now();
    const verdicts = await judgeSelectors(store, body, nowMs);
    const sold = verdicts.flatMap((one) =>
      one.sold.map((property) => ({ ...property, publisher_domain: one.publisher_domain })),
    );
    let length = 0;
    const expanded = await mapInSlices(sold, (property) => {
      // Enough is known: what is left of a refused answer is not made.
      if (length > MOST_CHARACTERS) return { property: propertyView(property), identifiers: [] };
      const one = { property: propertyView(property), identifiers: identifierViews(property) };
      length += JSON.stringify(one).length;
      return one;
    });
    if (length > MOST_CHARACTERS) throw tooMuch(`the answer would have more than ${MOST_CHARACTERS} characters`);
    const properties = expanded.map(({ property }) => property);
    const identifiers = expanded.flatMap((one) => one.identifiers);
    return {
      body: {
        ...{ agent_url: body.agent_url, properties, identifiers },
        ...{ property_count: properties.length, identifier_count: identifiers.length },
        generated_at: toTimestamp(nowMs),
      },
    };
  },
});

type SoldProperty = ClaimedProperty & { publisher_domain: string };

function propertyView({ publisher_domain, property_id, name, property_type, tags }: SoldProperty) {
  const said = { property_id: property_id ?? null, name: name ?? null, property_type: property_type ?? null };
  return { publisher_domain, ...said, tags: [...tags] };
}

function identifierViews({ publisher_domain, property_id = '', identifiers }: SoldProperty) {
  return identifiers.map(({ type, value }) => ({ type, value, property_id, publisher_domain }));
}
