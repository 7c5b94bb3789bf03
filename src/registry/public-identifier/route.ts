import { z } from 'zod';
import { seenAt } from '../../directory/publisher/publisher.ts';
import { AppError } from '../../platform/errors.ts';
import { AuthorizationView } from '../authorization-view.ts';
import { endpoint } from '../endpoint.ts';
import { PublicSource, publicSource } from '../public-properties/shape.ts';
import { PageQuery } from '../page-query.ts';
import { holdersOf } from './holders-of.ts';

const property = { publisher_domain: z.string(), property_id: z.string().nullable() };

/** Who may sell what carries an identifier, under the path of the public registry (rules R15.scope, R16.public). */
export const lookUpIdentifier = endpoint({
  id: 'lookUpIdentifier',
  method: 'get',
  path: '/api/registry/lookup/property',
  tag: 'Registry',
  summary: "Look up the properties that carry an identifier, such as an app's bundle, and who may sell them now",
  description:
    'By publisher, those whose files name the identifier; a domain by the nearest publisher at or above it. Values other than domains are compared as they are written. 404: nobody on record carries it. Publishers that nobody has read since 0.1.0 are found once they are crawled again; what only an entry of an adagents.json names inline is not found. A page may be empty, since what files no longer say is left out: go on until `cursor` is null.',
  access: 'public',
  effect: 'read',
  limit: 'validate_property',
  query: z.strictObject({
    type: z.string().min(1).max(100).describe('Such as ios_bundle, android_package, domain'),
    value: z.string().min(1).max(1000),
    cursor: PageQuery.shape.cursor.describe('Where the page before ended'),
  }),
  responses: {
    200: {
      description: 'A page of properties, and for each the agents that may sell it',
      schema: z.object({
        type: z.string(),
        value: z.string(),
        agents: z.array(z.object({ url: z.string(), ...property, ...AuthorizationView })),
        count: z.int().min(0).describe('Of `agents`'),
        properties: z
          .array(
            z.object({
              ...property,
              property_type: z.string(),
              name: z.string(),
              identifiers: z.array(z.object({ type: z.string(), value: z.string() })),
              source: PublicSource,
              seen_at: z.string().describe('When what is told was last read from its file, or else last changed here'),
            }),
          )
          .describe('At most 10 of each publisher, with 20 identifiers each, the one that was asked for among them'),
        is_cut: z
          .boolean()
          .describe(
            'Something was left out: of a publisher 10 properties and 200 agents are told, of a property 20 identifiers',
          ),
        cursor: z.string().nullable().describe('Send it for the next page; null: this was the last'),
        has_more: z.boolean(),
      }),
    },
    404: { description: 'Nobody on record carries it' },
  },

  async handle({ query: { type, value, cursor } }, { store, clock }) {
    const { found, cursor: next } = await holdersOf(store, { type, value }, cursor, clock.now());
    if (found.length === 0 && next === null && cursor === undefined)
      throw new AppError('NOT_FOUND', 'no property on record carries this identifier', { field: 'value' });
    const agents = found.flatMap(({ publisher_domain, property_id, live }) =>
      live.map(({ agent_url: url, publisher_domain: _, ...facts }) => ({
        ...{ url, publisher_domain, property_id, ...facts },
      })),
    );
    const properties = found.flatMap(({ publisher_domain, properties: carrying, file }) =>
      carrying.map(({ property_id = null, property_type, name, identifiers }) => ({
        ...{ publisher_domain, property_id, property_type, name, identifiers },
        ...{ source: publicSource(file.source), seen_at: seenAt(file) },
      })),
    );
    const is_cut = found.some(({ isCut }) => isCut);
    const body = { type, value, agents, count: agents.length, properties, is_cut };
    return { body: { ...body, cursor: next, has_more: next !== null } };
  },
});
