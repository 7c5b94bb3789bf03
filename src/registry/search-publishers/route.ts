import { z } from 'zod';
import { PublisherList } from '../browse/schema.ts';
import { publisherView } from '../browse/publishers.ts';
import { endpoint } from '../endpoint.ts';
import { PageQuery } from '../page-query.ts';
import { askedBy, filtersIn, PropertyFilters, SharedFilters } from '../search/filters.ts';
import { findPublishers } from '../search/find-rows.ts';
import { wholeNumberParam } from '../whole-number-param.ts';
import { AppError } from '../../platform/errors.ts';

/** Rule R15.search. */
export const searchPublishers = endpoint({
  id: 'searchPublishers',
  method: 'get',
  path: '/api/registry/publishers/search',
  tag: 'Registry',
  summary: 'Find publishers by words, domain, channel, country, type, tag and whether their file counts',
  description:
    'All filters that are sent must hold, and one is needed; of several values of one, any. A page may be shorter than `limit`, even empty: go on until `cursor` is null. What has changed is found by it within seconds.',
  access: 'public',
  effect: 'read',
  limit: 'search_agents',
  query: z.strictObject({
    ...SharedFilters,
    domain: SharedFilters.domain.describe('Its domain, or one of a property of its'),
    verified: SharedFilters.verified.describe('Whether it has an adagents.json of its own that counts'),
    ...PropertyFilters,
    cursor: PageQuery.shape.cursor.describe('Where the page before ended'),
    limit: wholeNumberParam(1, 200).optional().describe('Default 50'),
  }),
  responses: {
    200: {
      description: 'A page',
      schema: z.object({
        ...{ publishers: PublisherList.shape.publishers, matched_filters: z.array(z.string()) },
        ...{ cursor: PublisherList.shape.cursor, has_more: z.boolean() },
      }),
    },
  },

  async handle({ query: { cursor, limit = 50, ...filters } }, { store }) {
    const asked = askedBy(filters);
    if (asked === undefined)
      throw new AppError('INVALID_REQUEST', 'q: send a filter; /api/registry/publishers lists all', { field: 'q' });
    const page = await findPublishers(store, asked, { cursor, limit }, publisherView);
    return {
      body: {
        ...{ publishers: page.found, matched_filters: filtersIn(filters) },
        ...{ cursor: page.cursor, has_more: page.cursor !== null },
      },
    };
  },
});
