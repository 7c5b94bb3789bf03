import { z } from 'zod';
import { AuthorizationSource } from '../../directory/authorization/authorization.ts';
import { liveOfAgents } from '../../directory/authorization/live-of-agents.ts';
import { REASONS } from '../../directory/authorization/judge.ts';
import { nameOf } from '../../directory/authorization/property-index.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import { answerQuestions } from '../check-authorization/answer.ts';
import type { AuthorizationAnswer } from '../check-authorization/schema.ts';
import { DomainParam } from '../domain-query.ts';
import { endpoint } from '../endpoint.ts';
import { eachOfAgent, claimedProperties } from './claims-of-agent.ts';
import { AskedAgent, CODES } from './schema.ts';

/** An identifier that is no domain is looked for in so many publishers' files at most. */
const MOST_PUBLISHERS = 1000;

/** The authorization question, by an identifier, under the path of the public registry (rules R15.scope, R16.public). */
export const validatePropertyAuthorization = endpoint({
  id: 'validatePropertyAuthorization',
  method: 'get',
  path: '/api/registry/validate/property-authorization',
  tag: 'Registry',
  summary: 'Ask whether an agent may sell the property with an identifier',
  description:
    'Judged as `GET /api/registry/authorization` is, which knows countries and times, too. What is no domain is looked for in the files of the publishers that the agent may sell for.',
  access: 'public',
  effect: 'read',
  limit: 'validate_property',
  query: z.strictObject({
    agent_url: AskedAgent,
    identifier_type: z.string().min(1).max(100).describe('Such as domain, ios_bundle'),
    identifier_value: z.string().min(1).max(1000),
    publisher_domain: DomainParam.optional().describe(
      "The publisher, where it is known: then only its files' are read",
    ),
  }),
  responses: {
    200: {
      description: 'Yes or no, and why',
      schema: z.object({
        agent_url: z.string(),
        identifier_type: z.string(),
        identifier_value: z.string(),
        authorized: z.boolean(),
        checked_at: z.string(),
        code: CODES,
        reason: z.string(),
        publisher_domain: z.string().nullable().describe('Whose the property is; null where nobody knows'),
        limited_by: z.array(z.string()).describe('By what a yes is limited to some of it'),
        source: AuthorizationSource.nullable().describe('Of the entry that decides; null where none does'),
        source_url: z.string().nullable().describe('The file that it is in'),
        seen_at: z.string().nullable().describe('When it was last read'),
        entry_id: z.string().nullable().describe('The entry; null for one of the operator, too'),
        valid_from: z.string().nullable().describe('Null: always'),
        valid_until: z.string().nullable().describe('The first instant at which it is over; null: never'),
      }),
    },
  },

  async handle({ query }, { store, clock }) {
    const { agent_url, identifier_type, identifier_value, publisher_domain } = query;
    const nowMs = clock.now();
    const isDomain = identifier_type === 'domain' || identifier_type === 'subdomain';
    const ask = async (question: { publisher?: string; property: string }) =>
      (await answerQuestions(store, [{ agent: agent_url, ...question }], nowMs))[0];
    let answer: AuthorizationAnswer | undefined;
    if (isDomain)
      answer = await ask({
        property: identifier_value,
        ...(publisher_domain !== undefined && { publisher: publisher_domain }),
      });
    else {
      const domains =
        publisher_domain === undefined ? await publishersOfAgent(store, agent_url, nowMs) : [publisher_domain];
      for await (const one of eachOfAgent(store, agent_url, domains)) {
        const meant = claimedProperties(one, agent_url).find(({ identifiers }) =>
          identifiers.some(({ type, value }) => type === identifier_type && value === identifier_value),
        );
        if (meant === undefined) continue;
        const found = await ask({ publisher: one.publisher_domain, property: nameOf(meant) ?? identifier_value });
        if (answer?.authorized !== true) answer = found;
        if (answer?.authorized === true) break;
      }
    }
    const {
      authorized = false,
      code = 'property_unknown',
      publisher = null,
      limited_by = [],
      entry = null,
    } = answer ?? {};
    const asked = { agent_url, identifier_type, identifier_value };
    const told = { code, reason: REASONS[code], publisher_domain: publisher, limited_by };
    const { source = null, source_url = null, seen_at = null, entry_id = null } = entry ?? {};
    const { valid_from = null, valid_until = null } = entry ?? {};
    const decided = { source, source_url, seen_at, entry_id, valid_from, valid_until };
    return { body: { ...asked, authorized, checked_at: toTimestamp(nowMs), ...told, ...decided } };
  },
});

/** @throws {AppError} `VALIDATION_ERROR` where they are too many to read all their files. */
async function publishersOfAgent(store: Store, agent_url: string, nowMs: number): Promise<string[]> {
  const { live, cut } = await liveOfAgents(store, [agent_url], nowMs);
  if (live.length > MOST_PUBLISHERS || cut.size > 0)
    throw new AppError(
      'VALIDATION_ERROR',
      `identifier_value: this agent sells for more than ${MOST_PUBLISHERS} publishers; name the publisher_domain, too`,
      { field: 'publisher_domain' },
    );
  return live.map((one) => one.publisher_domain);
}
