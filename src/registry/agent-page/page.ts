import type { Agent } from '../../directory/agent/agent.ts';
import type { LiveAuthorization } from '../../directory/authorization/live-authorizations.ts';
import type { AgentHealth } from '../../directory/agent-check/read-checks.ts';
import { earnedStep } from '../../directory/badge/badge.ts';
import type { Badge } from '../../directory/badge/badge.ts';
import { markupText, pathSegment } from '../badge/escape.ts';
import { badgeSvg } from '../badge/svg.ts';
import { day, period } from '../publisher-page/public-page.ts';

export interface AgentPage {
  agent_url: string;
  /** Absent for an agent that is unknown or not public. */
  agent: Agent | undefined;
  badges: readonly Badge[];
  /** Absent for an agent whose checks are not public. */
  health: AgentHealth | undefined;
  authorized: readonly LiveAuthorization[];
  /** There are publishers besides. */
  hasMore: boolean;
  protocolName: string;
}

/** What the page says of an agent; every word from outside is escaped, and no URL of theirs is a link. */
export function agentPageBody({
  agent_url,
  agent,
  badges,
  health,
  authorized,
  hasMore,
  protocolName,
}: AgentPage): string {
  return `<p class="quiet">Agent</p>
<h1>${markupText(agent?.name ?? agent_url)}</h1>
<p><code>${markupText(agent_url)}</code>${agent === undefined ? '' : ` · ${markupText(agent.type)}`}</p>
<h2>Badges</h2>
${badges.length === 0 ? '<p>This agent has not been verified for any role.</p>' : badgeTable(badges, protocolName)}
${health === undefined ? '' : healthLine(health)}
<h2>Authorized by</h2>
${authorized.length > 0 ? authorizationTable(authorized) : hasMore ? '' : '<p>No publisher in the registry authorizes this agent.</p>'}${
    hasMore ? moreLine(agent_url) : ''
  }`;
}

function badgeTable(badges: readonly Badge[], protocolName: string): string {
  const row = (badge: Badge) => {
    const { role, version, status, passed_at, reason } = badge;
    const checked = status === 'earned' ? `checked ${day(passed_at)}` : 'revoked';
    const told = markupText([checked, ...(reason === null ? [] : [reason])].join(': '));
    return `<tr><td>${badgeSvg(`${protocolName} ${version} ${role}`, earnedStep(badge) ?? 'none')}</td><td>${told}</td></tr>`;
  };
  return `<table>${badges.map(row).join('')}</table>`;
}

function healthLine({ status, checked_at, reason, checks, reachable_checks }: AgentHealth): string {
  if (status === 'unknown') return '<p class="quiet">Nobody has looked at this agent yet.</p>';
  const answered =
    status === 'reachable' ? 'it answered' : `it could not be read: ${markupText(reason ?? 'no reason')}`;
  return `<p class="quiet">Last looked at on ${day(checked_at)}: ${answered}. Reached by ${reachable_checks} of the last ${checks} checks.</p>`;
}

function moreLine(agent_url: string): string {
  const path = `/api/registry/lookup/agent/${pathSegment(agent_url)}/domains`;
  return `<p class="quiet">These are not all: <a href="${path}">${markupText(path)}</a> has every publisher, page by page.</p>`;
}

function authorizationTable(authorized: readonly LiveAuthorization[]): string {
  const row = ({ publisher_domain, authorized_for, source, seen_at, ...one }: LiveAuthorization) =>
    `<tr><td><a href="/registry/publishers/${pathSegment(publisher_domain)}">${markupText(publisher_domain)}</a></td><td>${markupText(
      authorized_for,
    )}${one.in_part ? ' (in part)' : ''}</td><td>${period(one.valid_from, one.valid_until)}</td><td>${
      source === 'hosted' ? 'by the operator' : 'adagents.json'
    }, seen ${day(seen_at)}</td></tr>`;
  return `<table><tr><th>Publisher</th><th>For</th><th>When</th><th>Source</th></tr>${authorized.map(row).join('')}</table>`;
}
