import { z } from 'zod';
import { findByVerifiedDomain } from '../../directory/organization/find-by-domain.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import { publisherWatches } from '../../directory/publisher-watch/publisher-watch.ts';
import { AppError } from '../../platform/errors.ts';
import { managedOrganizations } from '../auth/managed-organizations.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { DomainParam } from '../domain-query.ts';
import { readStatus } from './read-status.ts';
import { PublisherStatus } from './schema.ts';

/** Rule R15.shown. */
export const publisherStatus = endpoint({
  id: 'publisherStatus',
  method: 'get',
  path: '/api/registry/publishers/{domain}',
  tag: 'Publishers',
  summary: 'See what the registry knows of a publisher: its file, its crawls, who may sell',
  description: 'Public; who manages the organization that has proved the domain sees more under `owner`.',
  access: 'optional',
  effect: 'read',
  limit: 'publisher_status',
  params: z.object({ domain: DomainParam }),
  responses: { 200: { description: 'The publisher as the registry has it', schema: PublisherStatus } },

  async handle({ params: { domain } }, call) {
    const status = await readStatus(call.store, domain, call.clock.now());
    if (status === undefined)
      throw new AppError('NOT_FOUND', 'the registry knows no such publisher; ask for a crawl of it', {
        field: 'domain',
      });
    const isForAll = call.caller === undefined;
    return {
      body: { ...status, owner: isForAll ? null : await ownersPart(call, domain) },
      headers: { 'Cache-Control': isForAll ? 'public, max-age=30' : 'no-store', Vary: 'Authorization' },
    };
  },
});

async function ownersPart({ store, caller }: EndpointCall, domain: string): Promise<PublisherStatus['owner']> {
  const holder = await findByVerifiedDomain(store, domain);
  if (holder === undefined) return null;
  const { organization_id } = holder;
  const managed = await managedOrganizations(store, caller);
  if (!managed.some((row) => row.organization_id === organization_id)) return null;
  const { rows } = await store.collection(publisherWatches).find({ where: { organization_id }, limit: 100 });
  const own = rows.filter((row) => row.publisher_domain === domain && row.ended_at === undefined);
  const publisher = await store.collection(publishers).get(domain);
  return { organization_id, pending_location: publisher?.crawl?.pending ?? null, webhooks_count: own.length };
}
