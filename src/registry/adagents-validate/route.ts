import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { readAdAgents } from '../crawl/adagents-file.ts';
import type { AdAgents } from '../crawl/adagents-file.ts';
import { adAgentsUrlOf } from '../crawl/crawl-publisher.ts';
import { fetchAdAgents } from '../crawl/fetch-adagents.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { conclusionsOf } from './conclusions.ts';
import { findingsIn } from './findings.ts';
import type { Findings } from './findings.ts';
import { AdagentsValidation, ValidateAdagents } from './schema.ts';

/** As long as a crawl takes at most, in milliseconds. */
const PROBE_MS = 9_500;

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
  bodyBytes: INPUT_LIMITS.authorizationsBodyBytes,
  responses: { 200: { description: 'What is wrong with it, and how buyers will read it', schema: AdagentsValidation } },

  async handle({ body }, call) {
    const domain = normalizeDomain(body.domain)?.domain;
    if (domain === undefined)
      throw new AppError('VALIDATION_ERROR', 'domain: this is not a domain name', { field: 'domain' });
    if (call.findBlocked(domain) !== undefined)
      throw new AppError('VALIDATION_ERROR', 'domain: this is known infrastructure, not a publisher', {
        field: 'domain',
      });
    const nowMs = call.clock.now();
    const looked = body.file === undefined ? await fetched(call, domain, nowMs) : await readSent(body.file, nowMs);
    const { source_url, findings, file, failure } = looked;
    const data = {
      ...{ domain, found: findings !== undefined, source_url },
      ...(failure !== undefined && { failure }),
      ...(findings && {
        validation: { valid: findings.errors.length === 0, ...findings, problems: file?.problems ?? [] },
      }),
      conclusions: file
        ? await conclusionsOf(file, { publisher_domain: domain, country: body.country, atMs: nowMs })
        : [],
    };
    return { body: { success: true, data, timestamp: toTimestamp(nowMs) } };
  },
});

interface Looked {
  source_url: string | null;
  findings?: Findings | undefined;
  file?: AdAgents | undefined;
  failure?: string;
}

async function readSent(json: unknown, nowMs: number): Promise<Looked> {
  return { source_url: null, findings: await findingsIn(json, nowMs), file: await readAdAgents(json, nowMs) };
}

/** By the same fetch as a crawl; of two files, the one that the first points to is told of. */
async function fetched(call: EndpointCall, publisherDomain: string, nowMs: number): Promise<Looked> {
  const { outbound: out, probeMs = PROBE_MS, adAgentsUrl = (name: string) => adAgentsUrlOf(`https://${name}`) } = call;
  const asking = { out, deadline: performance.now() + probeMs, signal: undefined };
  let findings: Findings | undefined;
  const inspect = async (json: unknown) => {
    findings = await findingsIn(json, nowMs);
  };
  const found = await fetchAdAgents(asking, { url: adAgentsUrl(publisherDomain), publisherDomain, nowMs, inspect });
  if (found.kind !== 'read') return { source_url: null, findings, failure: found.reason };
  return { source_url: found.source_url, findings, file: found.file };
}
