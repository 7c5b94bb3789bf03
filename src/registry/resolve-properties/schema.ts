import { z } from 'zod';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { recordOfAnyKey } from '../../platform/record-of-any-key.ts';
import { AuthorizationView } from '../authorization-view.ts';
import { PublisherSource, RegistryProperty } from '../../directory/publisher/publisher.ts';

const MOST = INPUT_LIMITS.domainInputLength;

/** The domains to resolve (rule C.resources.resolve). */
export const ResolveRequest = z.object({
  domains: z
    .array(z.string().max(MOST, `a domain has at most ${MOST} characters`))
    .min(1, 'send at least one domain')
    .max(100, 'send at most 100 domains'),
});

/** What the registry knows of one publisher domain (rule R4). */
export const ResolvedPublisher = z.object({
  publisher_domain: z.string(),
  source: PublisherSource,
  authorized_agents: z
    .array(z.object({ url: z.string(), ...AuthorizationView }))
    .describe('Those that may sell some of its inventory now'),
  properties: z.array(RegistryProperty),
  verified: z.boolean(),
  seen_at: z.string().describe('When what is told was last read from its file, or else last changed here'),
});

export const ResolveResponse = z.object({
  results: recordOfAnyKey(
    ResolvedPublisher.nullable(),
    'Keyed by each domain as it was sent; null for one the registry does not know',
  ),
});
export type ResolveResponse = z.infer<typeof ResolveResponse>;
