import { agents } from '../../directory/agent/agent.ts';
import type { Agent, AgentVisibility } from '../../directory/agent/agent.ts';
import { liveOfAgents } from '../../directory/authorization/live-of-agents.ts';
import { normalizeHost } from '../../directory/domain/normalize-domain.ts';
import { ensureProfile } from '../../directory/member-profile/ensure-profile.ts';
import { memberProfiles } from '../../directory/member-profile/member-profile.ts';
import { findByVerifiedDomain } from '../../directory/organization/find-by-domain.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import { resolveTier } from '../../directory/organization/tier.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { PartOf } from '../../platform/store/kept-answers.ts';
import type { MadeAnswer } from '../../platform/store/kept-texts.ts';
import { ALWAYS } from '../../platform/time-span.ts';
import type { TimeSpan } from '../../platform/time-span.ts';
import { AppError } from '../../platform/errors.ts';
import { organizationsOfCaller } from '../auth/organizations-of-caller.ts';
import { endpoint } from '../endpoint.ts';
import { readAll } from '../read-all.ts';
import { OperatorQuery, OperatorResponse } from './schema.ts';
import type { OperatorMember } from './schema.ts';
import { visibilitiesFor } from './visible-agents.ts';
import type { OperatorScope } from './visible-agents.ts';

/** Who operates a domain, and which agents (rules C.endpoints.operator, R5, R6). */
export const lookUpOperator = endpoint({
  id: 'lookUpOperator',
  method: 'get',
  path: '/api/registry/operator',
  tag: 'Registry',
  summary: 'Look up what an entity operates',
  description:
    "The agents an entity operates and the publishers that authorize them. Anybody sees public agents; a tier with API access adds members_only ones, and the domain's owner sees its private ones.",
  access: 'optional',
  effect: 'read',
  limit: 'look_up_operator',
  query: OperatorQuery,
  responses: { 200: { description: 'The operator; member is null when unknown', schema: OperatorResponse } },

  async handle({ query }, { store, clock, caller, kept }) {
    const domain = normalizeHost(query.domain);
    if (domain === undefined)
      throw new AppError('VALIDATION_ERROR', 'domain: this is not a domain name', { field: 'domain' });
    const own = await organizationsOfCaller(store, caller);
    const asked: Asked = {
      domain,
      scope: query.scope ?? 'all',
      own: own.map((row) => row.organization_id).sort(),
      hasApiAccess: own.some((row) => resolveTier(row)?.hasApiAccess === true),
    };
    const now = clock.now();
    // Every member of what is asked is in the name, and nothing else of the request is handed on.
    const json = await kept.answer(`operator ${JSON.stringify(asked)}`, now, (noted, part) =>
      answerTo(asked, noted, part, clock, now),
    );
    return { json };
  },
});

/** All that an answer depends on besides the time and what is stored. */
interface Asked {
  domain: string;
  scope: OperatorScope;
  /** Organizations that the caller speaks for. */
  own: readonly OrganizationId[];
  /** Of any of them. */
  hasApiAccess: boolean;
}

/** Every host below a domain, and every caller who may see the same, has the same part, whose name holds all of its organization. */
async function answerTo(
  { domain, scope, own, hasApiAccess }: Asked,
  store: Store,
  part: PartOf,
  clock: Clock,
  nowMs: number,
): Promise<MadeAnswer> {
  const operator = await findByVerifiedDomain(store, domain);
  if (!operator) return { text: JSON.stringify({ domain, member: null, agents: [] }), within: ALWAYS };
  const isOwner = own.includes(operator.organization_id);
  const shown = visibilitiesFor({ isOwner, hasApiAccess }, scope);
  const { text, within } = await part(`operated by ${JSON.stringify({ operator, shown })}`, async (noted) => {
    const { body, within } = await operatedBy(operator, shown, noted, clock, nowMs);
    return { text: JSON.stringify(body), within };
  });
  return { text: `{"domain":${JSON.stringify(domain)},${text.slice(1)}`, within };
}

/** As it is made here, member by member: a second schema over hundreds of entries says nothing new. */
async function operatedBy(
  operator: Organization,
  shown: readonly AgentVisibility[],
  store: Store,
  clock: Clock,
  nowMs: number,
): Promise<{ body: Omit<OperatorResponse, 'domain'>; within: TimeSpan }> {
  const [member, operated] = await Promise.all([
    memberCard({ store, clock }, operator),
    readAll(store.collection(agents), { organization_id: operator.organization_id }, 1000),
  ]);
  const visible = operated.filter((agent) => shown.includes(agent.visibility));
  const { listed, within } = await withAuthorizations(store, visible, nowMs);
  return { body: { member, agents: listed }, within };
}

/**
 * What of a member everybody sees; tier and founding membership only of a public profile. An organization that somebody owns
 * and that has no profile, since it is older than those or its maker died in between, gets one here.
 */
async function memberCard(
  { store, clock }: { store: Store; clock: Clock },
  organization: Organization,
): Promise<OperatorMember | null> {
  const rows = store.collection(memberProfiles);
  const stored = await rows.get(organization.organization_id);
  if (stored === undefined && organization.owner_id !== null) await ensureProfile({ store, clock }, organization);
  const profile = stored ?? (await rows.get(organization.organization_id));
  if (!profile) return null;
  const { slug, display_name } = profile;
  if (!profile.is_public) return { slug, display_name };
  const tier = resolveTier(organization);
  return {
    slug,
    display_name,
    ...(tier && { membership_tier: tier.tier, membership_tier_label: tier.label }),
    is_founding_member: organization.is_founding_member,
  };
}

async function withAuthorizations(
  store: Store,
  operated: readonly Agent[],
  nowMs: number,
): Promise<{ listed: OperatorResponse['agents']; within: TimeSpan }> {
  if (operated.length === 0) return { listed: [], within: ALWAYS };
  const urls = operated.map((agent) => agent.url);
  const byAgent = new Map<string, OperatorResponse['agents'][number]['authorized_by']>();
  const { live, cut, within } = await liveOfAgents(store, urls, nowMs);
  for (const one of live) {
    const { publisher_domain, authorized_for, source, valid, in_part } = one;
    const { valid_from, valid_until, entry_id, source_url, seen_at } = one;
    // Hundreds of them: the rest of `one` without its agent costs many times as much.
    const told = {
      publisher_domain,
      authorized_for,
      source,
      valid,
      in_part,
      valid_from,
      valid_until,
      entry_id,
      source_url,
      seen_at,
    };
    const list = byAgent.get(one.agent_url);
    if (list === undefined) byAgent.set(one.agent_url, [told]);
    else list.push(told);
  }
  const listed = operated.map(({ url, name }) => {
    const cursor = cut.get(url);
    return {
      url,
      name,
      authorized_by: byAgent.get(url) ?? [],
      ...(cursor !== undefined && { authorized_by_cursor: cursor }),
    };
  });
  return { listed, within };
}
