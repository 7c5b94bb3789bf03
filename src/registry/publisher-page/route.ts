import { z } from 'zod';
import { pathSegment } from '../badge/escape.ts';
import { endpoint } from '../endpoint.ts';
import { DomainParam } from '../domain-query.ts';
import { readStatus } from '../publisher-status/read-status.ts';
import { publisherPageBody, unknownPublisherBody } from './page.ts';
import { publicPage } from './public-page.ts';

/** Rule R15.shown, for people. */
export const publisherPage = endpoint({
  id: 'publisherPage',
  method: 'get',
  path: '/registry/publishers/{domain}',
  tag: 'Publishers',
  summary: 'A page about a publisher: who may sell for it, its properties, its crawls',
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
    return publicPage({ title: domain, canonical, body: publisherPageBody(status) });
  },
});
