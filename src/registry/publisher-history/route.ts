import { z } from 'zod';
import { FEED_TYPES } from '../../directory/feed/feed-event.ts';
import type { FeedEvent } from '../../directory/feed/feed-event.ts';
import { PublisherChange } from '../../directory/publisher/publisher.ts';
import { endpoint } from '../endpoint.ts';
import { DomainParam } from '../domain-query.ts';
import { readStatus } from '../publisher-status/read-status.ts';
import { wholeNumberParam } from '../whole-number-param.ts';
import { changeIn, eventsOfPublisher, revisionsOf, stateOf, summaryOf } from './read-history.ts';

const HistoryEntry = z.object({
  cursor: z.string().describe('The number of the event in the feed'),
  type: z.enum(FEED_TYPES as [string, ...string[]]),
  at: z.string(),
  summary: z.string(),
  agents: PublisherChange.shape.agents.optional().describe('By URL: how many, and the first of their names'),
  properties: PublisherChange.shape.properties.optional().describe('By property_id or name, likewise'),
  agent_url: z.string().optional().describe('Of authorization events'),
  source: z.string().optional(),
});

/** Rule R15.history. */
export const publisherHistory = endpoint({
  id: 'publisherHistory',
  method: 'get',
  path: '/api/registry/publishers/{domain}/history',
  tag: 'Publishers',
  summary: "Read what changed of a publisher, newest first, as long as the registry's feed keeps it",
  description: 'What began or ended by its dates changed nothing here: it is judged when asked.',
  access: 'public',
  effect: 'read',
  limit: 'publisher_history',
  params: z.object({ domain: DomainParam }),
  query: z.strictObject({
    limit: wholeNumberParam(1, 100).optional().describe('Changes at most; default 50'),
    cursor: z.string().max(1000).optional().describe('The `cursor` of the page before'),
  }),
  responses: {
    200: {
      description: 'A page, newest first; `cursor` is there exactly when there is more. Of an unknown publisher none',
      schema: z.object({
        publisher_domain: z.string(),
        changes: z.array(HistoryEntry),
        has_more: z.boolean(),
        cursor: z.string().optional(),
      }),
    },
  },

  async handle({ params: { domain }, query: { limit = 50, cursor: after } }, { store }) {
    const { rows, cursor } = await eventsOfPublisher(store, domain, { limit, after });
    const end = cursor === undefined ? { has_more: false } : { has_more: true, cursor };
    return { body: { publisher_domain: domain, changes: rows.map(entryView), ...end } };
  },
});

function entryView(event: FeedEvent): z.infer<typeof HistoryEntry> {
  const { sequence, kind, change, occurred_at: at } = event;
  const { agent_url, source } = stateOf(event);
  const changed = kind === 'publisher' ? changeIn(event) : undefined;
  return {
    ...{ cursor: String(sequence), type: `${kind}.${change}`, at },
    summary: kind === 'publisher' ? summaryOf(event) : `${kind} ${change}`,
    ...(changed !== undefined && { agents: changed.agents, properties: changed.properties }),
    ...(typeof agent_url === 'string' && { agent_url }),
    ...(typeof source === 'string' && { source }),
  };
}

/** A page of revisions is read with what is before it. */
const MOST_BEFORE = 500;
const MOST_COUNTED = 10_000;

const Revision = z.object({
  revision_number: z.int().describe("The number of the change in the registry's feed: it rises, and not by one"),
  editor_name: z.string(),
  edit_summary: z.string(),
  source: z.string().optional(),
  is_rollback: z.boolean().describe('False: publishers change by their files, and nothing is taken back here'),
  created_at: z.string(),
});

/** The same of the publisher itself, in the public registry's shape (rule R15.history). */
export const propertyHistory = endpoint({
  id: 'propertyHistory',
  method: 'get',
  path: '/api/properties/history',
  tag: 'Publishers',
  summary: 'Read the revisions of a publisher, newest first, as the public registry tells them',
  access: 'public',
  effect: 'read',
  limit: 'publisher_history',
  query: z.strictObject({
    domain: DomainParam,
    limit: wholeNumberParam(1, 100).optional().describe('Revisions at most; default 20'),
    offset: wholeNumberParam(0, MOST_BEFORE).optional().describe('So many of the newest are left out'),
  }),
  responses: {
    200: {
      description: 'Revisions that the feed still keeps',
      schema: z.object({
        domain: z.string(),
        total: z.int().describe('10,000 stands for that many or more'),
        revisions: z.array(Revision),
      }),
    },
    404: {
      description: 'The registry knows no such publisher',
      schema: z.object({ error: z.string(), domain: z.string() }),
    },
  },

  async handle({ query: { domain, limit = 20, offset = 0 } }, { store, clock }) {
    const { rows, total } = await revisionsOf(store, domain, { limit: offset + limit, most: MOST_COUNTED });
    if (total === 0 && (await readStatus(store, domain, clock.now())) === undefined)
      return { status: 404, body: { error: 'the registry knows no such publisher; ask for a crawl of it', domain } };
    return { body: { domain, total, revisions: rows.slice(offset).map(revisionView) } };
  },
});

function revisionView(event: FeedEvent): z.infer<typeof Revision> {
  const { source } = stateOf(event);
  return {
    ...{ revision_number: event.sequence, edit_summary: summaryOf(event), is_rollback: false },
    editor_name: source === 'adagents_json' ? "the publisher's adagents.json" : "the registry's operator",
    ...(typeof source === 'string' && { source }),
    created_at: event.occurred_at,
  };
}
