import { z } from 'zod';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { ADAGENTS_SHAPE } from '../../platform/intake/json-shape.ts';
import type { AdAgents } from '../crawl/adagents-file.ts';
import { DomainParam } from '../domain-query.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { refuseBlocked } from '../refuse-blocked.ts';
import { conclusionsOf } from './conclusions.ts';
import type { FileFinding } from './findings.ts';
import { CHECKED_AT_ITS_PLACE, lookAtDomain, lookAtSent } from './look.ts';
import { AdagentsValidation, PropertyValidation, PublisherValidation, ValidateAdagents } from './schema.ts';

/** For a publisher's engineers, before and after publishing (rule R15.validate). */
export const validateAdagents = endpoint({
  id: 'validateAdagents',
  method: 'post',
  path: '/api/adagents/validate',
  tag: 'Registry',
  summary: 'Check an adagents.json: errors, warnings, and what buyers will conclude',
  description:
    'Send `domain` for the published file, fetched as a crawl does, or `file` beside it for one that is not published yet. Nothing is stored.',
  access: 'public',
  effect: 'read',
  limit: 'validate_adagents',
  body: ValidateAdagents,
  bodyBytes: INPUT_LIMITS.adagentsBodyBytes,
  bodyShape: ADAGENTS_SHAPE,
  tooLarge: CHECKED_AT_ITS_PLACE,
  responses: { 200: { description: 'What is wrong with it, and how buyers will read it', schema: AdagentsValidation } },

  async handle({ body }, call) {
    const domain = normalizeDomain(body.domain)?.domain;
    if (domain === undefined)
      throw new AppError('VALIDATION_ERROR', 'domain: this is not a domain name', { field: 'domain' });
    await refuseBlocked(call, domain);
    const nowMs = call.clock.now();
    const looked =
      body.file === undefined
        ? await lookAtDomain(call, domain, nowMs)
        : await lookAtSent(body.file, { publisherDomain: domain, nowMs });
    const { source_url, valid, findings, file, failure, manager } = looked;
    const speaks = file ?? manager?.file;
    const data = {
      ...{ domain, found: findings !== undefined, source_url },
      ...(failure !== undefined && { failure }),
      ...(manager && { manager }),
      ...(findings && {
        validation: { valid, ...findings, problems: file?.problems ?? [] },
      }),
      conclusions: speaks
        ? await conclusionsOf(speaks, {
            ...{ publisher_domain: domain, manager: manager?.domain },
            ...{ country: body.country, atMs: nowMs },
          })
        : [],
    };
    return { body: { success: true, data, timestamp: toTimestamp(nowMs) } };
  },
});

/** The same of a published file in numbers, under the path of the public registry (rules R15.validate, R16.public). */
export const validatePublisher = endpoint({
  id: 'validatePublisher',
  method: 'get',
  path: '/api/public/validate-publisher',
  tag: 'Registry',
  summary: "Fetch a publisher's adagents.json and count what it has",
  access: 'public',
  effect: 'read',
  limit: 'validate_adagents',
  query: z.strictObject({ domain: DomainParam }),
  responses: { 200: { description: 'Whether the file counts, and its numbers', schema: PublisherValidation } },

  async handle({ query: { domain } }, call) {
    const { told, file } = await publicLook(call, domain);
    const properties = file?.properties ?? [];
    const types = new Map<string, number>();
    for (const { property_type: type } of properties) types.set(type, (types.get(type) ?? 0) + 1);
    return {
      body: {
        ...told,
        agent_count: new Set(file?.authorized.map(({ url }) => url)).size,
        property_count: properties.length,
        property_type_counts: Object.fromEntries(types),
        tag_count: new Set(properties.flatMap(({ tags }) => tags)).size,
      },
    };
  },
});

/** The same in the short, under the path of the public registry (rules R15.validate, R16.public). */
export const validateProperty = endpoint({
  id: 'validateProperty',
  method: 'get',
  path: '/api/properties/validate',
  tag: 'Properties',
  summary: "Fetch a domain's adagents.json and tell what is wrong with it",
  access: 'public',
  effect: 'read',
  limit: 'validate_adagents',
  query: z.strictObject({ domain: DomainParam }),
  responses: { 200: { description: 'Whether the file counts, and why not', schema: PropertyValidation } },

  async handle({ query: { domain } }, call) {
    return { body: (await publicLook(call, domain)).told };
  },
});

/** What both tell; errors and warnings in words. */
async function publicLook(call: EndpointCall, domain: string): Promise<{ told: PropertyValidation; file?: AdAgents }> {
  await refuseBlocked(call, domain);
  const { source_url, valid, findings, file, failure } = await lookAtDomain(call, domain, call.clock.now());
  const words = (list: readonly FileFinding[] = []) =>
    list.map(({ pointer, message, fix }) => `${pointer === '' ? 'the file' : pointer}: ${message}; ${fix}`);
  return {
    told: {
      ...{ valid, domain },
      ...(source_url !== null && { url: source_url }),
      errors: [...(failure === undefined ? [] : [failure]), ...words(findings?.errors)],
      warnings: words(findings?.warnings),
    },
    ...(file && { file }),
  };
}
