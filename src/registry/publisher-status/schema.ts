import { z } from 'zod';
import { AuthorizationSource } from '../../directory/authorization/authorization.ts';
import { LIMITS, REASONS } from '../../directory/authorization/judge.ts';
import type { VerdictCode } from '../../directory/authorization/judge.ts';
import { PublisherSource } from '../../directory/publisher/publisher.ts';

const time = z.string().nullable();
const CODES = Object.keys(REASONS) as [VerdictCode, ...VerdictCode[]];

const AgentOfPublisher = z.object({
  agent_url: z.string(),
  authorized: z.boolean().describe('Whether it may sell something of the publisher now'),
  code: z.enum(CODES),
  reason: z.string(),
  limited_by: z.array(z.enum(LIMITS)),
  valid_from: time.describe('Null: always'),
  valid_until: time.describe('The first instant at which it is over; null: never'),
  authorized_for: z.string(),
  source: AuthorizationSource.nullable(),
  entry_id: z.string().nullable().describe('The entry that decides'),
  source_url: z.string().nullable(),
  seen_at: time,
});

const PropertyOfPublisher = z.object({
  property_id: z.string().nullable(),
  property_type: z.string(),
  name: z.string(),
  identifiers: z.array(z.object({ type: z.string(), value: z.string() })),
  tags: z.array(z.string()),
});

/** What the registry knows of a publisher (rule R15.shown). */
export const PublisherStatus = z.object({
  publisher_domain: z.string(),
  source: PublisherSource.nullable().describe('Null: nothing of it has been read yet'),
  verified: z.boolean().describe('Whether the publisher itself vouches for its agents'),
  source_url: z.string().nullable().describe('Where its file was in the end'),
  authoritative_location: z.string().nullable().describe('Where its own file says that the file is kept'),
  manager_domain: z.string().nullable().describe('Whom its ads.txt names, where it has no file'),
  file_last_updated: time.describe('By the file itself'),
  crawl: z.object({
    last_crawl_at: time,
    last_success_at: time,
    next_crawl_at: time,
    last_error: z.string().nullable(),
    failures: z.int().describe('Looks in a row that failed'),
    failing_since: time,
    no_file_since: time,
  }),
  problems: z.array(z.string()).describe('The first 50 of the file that was read last'),
  properties_count: z.int(),
  properties: z.array(PropertyOfPublisher).describe('The first 100'),
  agents_count: z.int(),
  authorized_count: z.int(),
  agents: z.array(AgentOfPublisher).describe('200 at most, those that may sell first'),
  sellers: z.string().describe('Where its accounts at ad systems are, by its ads.txt; they authorize no agent'),
  owner: z
    .object({
      organization_id: z.string(),
      pending_location: z
        .object({ location: z.string(), since: z.string() })
        .nullable()
        .describe('Another place that the file names since then, and that does not count yet'),
      webhooks_count: z.int().describe('Of the organization, that tell of this publisher'),
    })
    .nullable()
    .describe('For who manages the organization that has proved the domain; null for anybody else'),
});
export type PublisherStatus = z.infer<typeof PublisherStatus>;
