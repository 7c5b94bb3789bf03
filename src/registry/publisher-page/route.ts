import { z } from 'zod';
import { pathSegment } from '../badge/escape.ts';
import { endpoint } from '../endpoint.ts';
import { DomainParam } from '../domain-query.ts';
import { readStatus } from '../publisher-status/read-status.ts';
import { revisionsOf, summaryOf } from '../publisher-history/read-history.ts';
import { publisherPageBody, unknownPublisherBody } from './page.ts';
import { publicPage } from './public-page.ts';

/** Of what changed, the newest. */
const MOST_CHANGES = 10;

/** Rule R15.shown, for people. */
export const publisherPage = endpoint({
  id: 'publisherPage',
  method: 'get',
  path: '/registry/publishers/{domain}',
  tag: 'Publishers',
  summary: 'A page about a publisher: who may sell for it, its properties, what changed, its crawls',
  access: 'public',
  effect: 'read',
  limit: 'publisher_page',
  params: z.object({ domain: DomainParam }),
  responses: {
    200: { description: 'The page', contentType: 'text/html' },
    404: { description: 'The page, saying that nothing is known', contentType: 'text/html' },
  },

  async handle({ params: { domain } }, { store, clock, baseUrl }) {
    const status = await readStatus(store, domain, clock.now());
    if (status === undefined)
      return { status: 404, ...publicPage({ title: domain, canonical: null, body: unknownPublisherBody(domain) }) };
    const canonical = `${baseUrl()}/registry/publishers/${pathSegment(domain)}`;
    const { rows } = await revisionsOf(store, domain, { limit: MOST_CHANGES, most: MOST_CHANGES });
    const changes = rows.map((event) => ({ at: event.occurred_at, summary: summaryOf(event) }));
    return publicPage({ title: domain, canonical, body: publisherPageBody(status, changes) });
  },
});
