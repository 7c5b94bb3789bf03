import { z } from 'zod';
import { liveOfPublisher } from '../../directory/authorization/live-authorizations.ts';
import { claimsOf } from '../../directory/authorization/find-claims.ts';
import { memberProfiles } from '../../directory/member-profile/member-profile.ts';
import { findByVerifiedDomain } from '../../directory/organization/find-by-domain.ts';
import { allPropertiesOf } from '../../directory/publisher/property-list.ts';
import { seenAt } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';
import { AuthorizationView } from '../authorization-view.ts';
import { DomainParam } from '../domain-query.ts';
import { endpoint } from '../endpoint.ts';
import { PublicProperty, PublicSource, publicProperty, publicSource } from '../public-properties/shape.ts';

/** What a domain publishes and whom it authorizes, under the path of the public registry (rule R16.public). */
export const lookUpPublisher = endpoint({
  id: 'lookUpPublisher',
  method: 'get',
  path: '/api/registry/publisher',
  tag: 'Registry',
  summary: 'Look up what a domain publishes and which agents it authorizes',
  access: 'public',
  effect: 'read',
  limit: 'look_up_publisher',
  query: z.strictObject({ domain: DomainParam }),
  responses: {
    200: {
      description: 'The publisher; of a domain that the registry does not know `known` is false',
      schema: z.object({
        domain: z.string(),
        known: z.boolean(),
        member: z.object({ slug: z.string(), display_name: z.string() }).nullable(),
        adagents_valid: z
          .boolean()
          .nullable()
          .describe('Whether its adagents.json was there and could be read; null where nobody has looked'),
        source: PublicSource.nullable().describe('Where the registry knows it from; null: it does not'),
        seen_at: z
          .string()
          .nullable()
          .describe('When what is told was last read from its file, or else last changed here'),
        properties: z.array(PublicProperty),
        authorized_agents: z
          .array(z.object({ url: z.string(), ...AuthorizationView }))
          .describe('Those that may sell some of its inventory now'),
      }),
    },
  },

  async handle({ query: { domain } }, { store, clock }) {
    const [member, one] = await Promise.all([memberOf(store, domain), claimsOf(store, domain)]);
    const { publisher } = one ?? {};
    const properties = publisher === undefined ? [] : await allPropertiesOf(store, publisher);
    const live = one === undefined ? [] : liveOfPublisher(one, clock.now());
    return {
      body: {
        ...{ domain, known: publisher !== undefined, member },
        adagents_valid: publisher?.crawl === undefined ? null : publisher.crawl.source_url !== null,
        source: publisher === undefined ? null : publicSource(publisher.source),
        seen_at: publisher === undefined ? null : seenAt(publisher),
        properties: properties.map(publicProperty),
        authorized_agents: live.map(({ agent_url: url, publisher_domain: _, ...told }) => ({ url, ...told })),
      },
    };
  },
});

async function memberOf(store: Store, domain: string) {
  const organization = await findByVerifiedDomain(store, domain);
  const profile = organization && (await store.collection(memberProfiles).get(organization.organization_id));
  return profile === undefined ? null : { slug: profile.slug, display_name: profile.display_name };
}
