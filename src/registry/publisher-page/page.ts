import { markupText, pathSegment } from '../badge/escape.ts';
import type { PublisherStatus } from '../publisher-status/schema.ts';
import { day, period } from './public-page.ts';

/** Of its file, that the page tells; the API tells more. */
const MOST_PROBLEMS = 5;

/** What a crawl changed, in a sentence of ours. */
interface Change {
  at: string;
  summary: string;
}

/** What the page says of a publisher, and the newest of what changed; every word from outside is escaped, and no URL of theirs is a link. */
export function publisherPageBody(status: Omit<PublisherStatus, 'owner'>, changes: readonly Change[]): string {
  const { publisher_domain, verified, source, crawl, manager_domain, source_url, problems } = status;
  const facts: [string, string | null][] = [
    ['Listed by', source === 'hosted' ? "the registry's operator" : verified ? 'its own adagents.json' : null],
    ['File', source_url],
    ['Managed by', manager_domain],
    ['Last crawl', crawl.last_crawl_at],
    ['Last success', crawl.last_success_at],
    ['Next crawl', crawl.next_crawl_at],
    ['Last error', crawl.last_error],
    ['Problems', problems.length === 0 ? null : problems.slice(0, MOST_PROBLEMS).join('; ')],
  ];
  return `<p class="quiet">Publisher</p>
<h1>${markupText(publisher_domain)}</h1>
<p>${verified ? 'The publisher itself vouches for its agents.' : 'The publisher itself vouches for no agent.'}</p>
<h2>Who may sell</h2>
${status.authorized_count === 0 ? '<p>No agent may sell for this publisher now.</p>' : agentTable(status)}
<h2>Properties</h2>
${status.properties_count === 0 ? '<p>None are known.</p>' : propertyTable(status)}
<h2>What changed</h2>
${changes.length === 0 ? '<p>Nothing that is still kept.</p>' : changeTable(changes)}
<p class="quiet"><a href="/api/registry/publishers/${pathSegment(publisher_domain)}/history">All that is kept</a></p>
<h2>About this entry</h2>
<table>${facts.flatMap(([name, value]) => (value === null ? [] : `<tr><th>${name}</th><td>${markupText(value)}</td></tr>`)).join('')}</table>
<p class="quiet"><a href="${markupText(status.sellers)}">Accounts at ad systems</a>, by its ads.txt. They authorize no agent.</p>`;
}

/** The same where there is nothing to be said. */
export function unknownPublisherBody(domain: string): string {
  return `<p class="quiet">Publisher</p>
<h1>${markupText(domain)}</h1>
<p>The registry knows no such publisher. It does once somebody has had its adagents.json read:
<code>POST /api/registry/publishers/${pathSegment(domain)}/crawl</code></p>`;
}

function agentTable({ agents, authorized_count }: Omit<PublisherStatus, 'owner'>): string {
  const shown = agents.filter(({ authorized }) => authorized);
  const row = (agent: PublisherStatus['agents'][number]) =>
    `<tr><td><a href="/registry/agents/${pathSegment(agent.agent_url)}">${markupText(agent.agent_url)}</a></td><td>${markupText(
      agent.authorized_for,
    )}${agent.code === 'authorized_in_part' ? ' (in part)' : ''}</td><td>${period(agent.valid_from, agent.valid_until)}</td><td>${day(
      agent.seen_at,
    )}</td></tr>`;
  return `<table><tr><th>Agent</th><th>For</th><th>When</th><th>Seen</th></tr>${shown.map(row).join('')}</table>${rest(authorized_count, shown)}`;
}

function propertyTable({ properties, properties_count }: Omit<PublisherStatus, 'owner'>): string {
  const row = ({ name, property_type, identifiers }: PublisherStatus['properties'][number]) =>
    `<tr><td>${markupText(name)}</td><td>${markupText(property_type)}</td><td>${markupText(
      identifiers.map(({ value }) => value).join(', '),
    )}</td></tr>`;
  return `<table><tr><th>Name</th><th>Type</th><th>Identifiers</th></tr>${properties.map(row).join('')}</table>${rest(properties_count, properties)}`;
}

function changeTable(changes: readonly Change[]): string {
  const row = ({ at, summary }: Change) => `<tr><td>${day(at)}</td><td>${markupText(summary)}</td></tr>`;
  return `<table>${changes.map(row).join('')}</table>`;
}

function rest(count: number, shown: readonly unknown[]): string {
  return count > shown.length ? `<p class="quiet">And ${count - shown.length} more.</p>` : '';
}
