import type { Agent } from '../../directory/agent/agent.ts';
import type { LiveAuthorization } from '../../directory/authorization/live-authorizations.ts';
import { isVerified } from '../../directory/badge/badge.ts';
import type { Badge } from '../../directory/badge/badge.ts';
import { markupText } from '../badge/escape.ts';
import { badgeSvg } from '../badge/svg.ts';

export interface AgentPage {
  agent_url: string;
  /** Absent for an agent that is unknown or not public. */
  agent: Agent | undefined;
  badges: readonly Badge[];
  authorized: readonly LiveAuthorization[];
  protocolName: string;
}

/** Plain HTML with nothing loaded from elsewhere; every word from outside is escaped, and no URL of theirs is a link. */
export function agentPageHtml({ agent_url, agent, badges, authorized, protocolName }: AgentPage): string {
  const title = markupText(agent?.name ?? agent_url);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · registry</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; }
h1 { margin: 0; line-height: 1.25; overflow-wrap: anywhere; } h2 { margin-top: 2.5rem; font-size: 1.1rem; }
code { overflow-wrap: anywhere; } .quiet { opacity: .7; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
</style>
</head>
<body>
<main>
<p class="quiet">Agent registry</p>
<h1>${title}</h1>
<p><code>${markupText(agent_url)}</code>${agent === undefined ? '' : ` · ${markupText(agent.type)}`}</p>
<h2>Badges</h2>
${badges.length === 0 ? '<p>This agent has not been verified for any role.</p>' : badgeTable(badges, protocolName)}
<h2>Authorized by</h2>
${authorized.length === 0 ? '<p>No publisher in the registry authorizes this agent.</p>' : authorizationTable(authorized)}
</main>
</body>
</html>
`;
}

function badgeTable(badges: readonly Badge[], protocolName: string): string {
  const row = (badge: Badge) => {
    const { role, version, status, passed_at, reason } = badge;
    const step = status === 'revoked' ? undefined : isVerified(badge) ? 'verified' : 'declared';
    const checked = status === 'earned' ? `checked ${day(passed_at)}` : 'revoked';
    const told = markupText([checked, ...(reason === null ? [] : [reason])].join(': '));
    return `<tr><td>${badgeSvg(`${protocolName} ${version} ${role}`, step)}</td><td>${told}</td></tr>`;
  };
  return `<table>${badges.map(row).join('')}</table>`;
}

function authorizationTable(authorized: readonly LiveAuthorization[]): string {
  const row = ({ publisher_domain, authorized_for, source, seen_at }: LiveAuthorization) =>
    `<tr><td>${markupText(publisher_domain)}</td><td>${markupText(authorized_for)}</td><td>${
      source === 'hosted' ? 'by the operator' : 'adagents.json'
    }, seen ${day(seen_at)}</td></tr>`;
  return `<table><tr><th>Publisher</th><th>For</th><th>Source</th></tr>${authorized.map(row).join('')}</table>`;
}

function day(timestamp: string): string {
  return markupText(timestamp.slice(0, 10));
}
