import { z } from 'zod';
import { allPropertiesOf } from '../../directory/publisher/property-list.ts';
import { eachWithClaims, liveOfPublisher } from '../../directory/authorization/live-authorizations.ts';
import { AuthorizationView } from '../authorization-view.ts';
import { seenAt } from '../../directory/publisher/publisher.ts';
import { DomainParam } from '../domain-query.ts';
import { endpoint } from '../endpoint.ts';
import { PublicProperty, PublicSource, publicProperty, publicSource } from './shape.ts';

/** One domain, under the path of the public registry (rules R4, R16.public). */
export const resolveProperty = endpoint({
  id: 'resolveProperty',
  method: 'get',
  path: '/api/properties/resolve',
  tag: 'Properties',
  summary: 'Resolve one publisher domain to its properties and authorized agents',
  access: 'public',
  effect: 'read',
  limit: 'look_up_publisher',
  query: z.strictObject({ domain: DomainParam }),
  responses: {
    200: {
      description: 'What the registry knows of the domain',
      schema: z.object({
        publisher_domain: z.string(),
        source: PublicSource,
        authorized_agents: z
          .array(z.object({ url: z.string(), ...AuthorizationView }))
          .describe('Those that may sell some of its inventory now'),
        properties: z.array(PublicProperty),
        verified: z.boolean(),
        seen_at: z.string().describe('When what is told was last read from its file, or else last changed here'),
      }),
    },
    404: {
      description: 'The registry does not know this domain',
      schema: z.object({ error: z.string(), domain: z.string() }),
    },
  },

  async handle({ query: { domain } }, { store, clock }) {
    for await (const one of eachWithClaims(store, [domain])) {
      if (one.publisher === undefined) continue;
      const { publisher_domain, source, verified } = one.publisher;
      const properties = await allPropertiesOf(store, one.publisher);
      const live = liveOfPublisher(one, clock.now());
      const authorized_agents = live.map(({ agent_url: url, publisher_domain: _, ...told }) => ({ url, ...told }));
      return {
        body: {
          ...{ publisher_domain, source: publicSource(source), authorized_agents, verified },
          seen_at: seenAt(one.publisher),
          properties: properties.map(publicProperty),
        },
      };
    }
    return { status: 404, body: { error: 'the registry does not know this domain; ask for a crawl of it', domain } };
  },
});
