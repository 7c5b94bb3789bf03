import { Command, Option } from 'commander';
import { checkRegistryAgent, listRegistryAgents, showRegistryAgent } from '../../admin/operator/registry/agents.ts';
import type { AgentInFull } from '../../admin/operator/registry/agents.ts';
import {
  crawlRegistryPublisher,
  listRegistryPublishers,
  showRegistryPublisher,
} from '../../admin/operator/registry/publishers.ts';
import type { PublisherInFull } from '../../admin/operator/registry/publishers.ts';
import type { LookView } from '../../admin/operator/registry/looks.ts';
import { AgentVisibility } from '../../directory/agent/agent.ts';
import { PublisherSource } from '../../directory/publisher/publisher.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

/** `registry publishers …`: what is known of them, and how the looks at their files go. */
export function publisherCommands(run: Run): Command {
  const about = (name: string, description: string) => new Command(name).description(description).argument('<domain>');
  const states = [...PublisherSource.options, 'failing'] as const;
  return new Command('publishers')
    .description('Publishers, and how the looks at their files go.')
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listRegistryPublishers.summary)
            .addOption(new Option('--state <state>').choices(states).default('failing')),
        ),
        {
          ask: (client, _args, { state, limit, cursor }: PagingOptions & { state: string }) =>
            client.call(listRegistryPublishers, { query: { state, limit, cursor } }),
          rows: (answer) => answer.publishers,
          show: (answer) =>
            table(
              ['PUBLISHER', 'SOURCE', 'PROPERTIES', 'PROBLEMS', 'READ LAST', 'WHY NOT'],
              answer.publishers.map(({ publisher_domain, source, properties_count, problems_count, look }) => [
                ...[publisher_domain, source, String(properties_count), String(problems_count)],
                ...[look?.last_ok_at ?? '', look?.last_error ?? ''],
              ]),
            ) + more(answer),
        },
      ),
    )
    .addCommand(
      run(about('show', showRegistryPublisher.summary), {
        ask: (client, [publisher_domain]: [string]) =>
          client.call(showRegistryPublisher, { params: { publisher_domain } }),
        show: shownPublisher,
      }),
    )
    .addCommand(
      run(about('crawl', crawlRegistryPublisher.summary), {
        ask: (client, [publisher_domain]: [string]) =>
          client.call(crawlRegistryPublisher, { params: { publisher_domain } }),
        show: shownPublisher,
      }),
    );
}

/** `registry agents …`: what organizations have registered, and how the checks of it go. */
export function registeredAgentCommands(run: Run): Command {
  const about = (name: string, description: string) =>
    new Command(name).description(description).argument('<agent_id>');
  return new Command('agents')
    .description('Agents that organizations have registered.')
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listRegistryAgents.summary)
            .addOption(new Option('--visibility <who>').choices(AgentVisibility.options).default('public'))
            .option('--organization <id>', 'all of one organization'),
        ),
        {
          ask: (client, _args, { visibility, organization, limit, cursor }: AgentFilters) =>
            client.call(listRegistryAgents, { query: { visibility, organization_id: organization, limit, cursor } }),
          rows: (answer) => answer.agents,
          show: (answer) =>
            table(
              ['AGENT', 'NAME', 'URL', 'TYPE', 'VERIFIED', 'LAST CHECK', 'WHY NOT'],
              answer.agents.map(({ agent_id, name, url, type, is_verified, look }) => [
                ...[agent_id, name, url, type, is_verified ? 'yes' : 'no'],
                ...[look?.last_tried_at ?? '', look?.last_error ?? ''],
              ]),
            ) + more(answer),
        },
      ),
    )
    .addCommand(
      run(about('show', showRegistryAgent.summary), {
        ask: (client, [agent_id]: [string]) => client.call(showRegistryAgent, { params: { agent_id } }),
        show: shownAgent,
      }),
    )
    .addCommand(
      run(about('check', checkRegistryAgent.summary), {
        ask: (client, [agent_id]: [string]) => client.call(checkRegistryAgent, { params: { agent_id } }),
        show: shownAgent,
      }),
    );
}

interface AgentFilters extends PagingOptions {
  visibility: string;
  organization?: string;
}

function shownPublisher(one: PublisherInFull): string {
  const head = facts([
    ['publisher', one.publisher_domain],
    ['known from', one.source],
    ['vouches itself', one.verified ? 'yes' : 'no'],
    ['properties', String(one.properties_count)],
    ['its file', one.crawl?.source_url ?? undefined],
    ['managed by', one.manager_domain ?? undefined],
    ...lookedAt(one.look),
    ['agents', String(one.agents_count)],
  ]);
  const problems = (one.crawl?.problems ?? []).map((problem) => `  ${problem}\n`).join('');
  const agents = one.agents.map(({ agent_url, authorized_for }) => `  ${agent_url}: ${authorized_for}\n`).join('');
  return head + (problems && `\nProblems of its file:\n${problems}`) + (agents && `\nMay sell for it:\n${agents}`);
}

function shownAgent(one: AgentInFull): string {
  const head = facts([
    ['agent', one.agent_id],
    ['name', one.name],
    ['url', one.url],
    ['organization', one.organization_id],
    ['type', one.type],
    ['seen by', one.visibility],
    ...lookedAt(one.look),
  ]);
  const badges = one.badges.map((badge) => [
    ...[badge.role, badge.version, badge.status, badge.step ?? '', badge.reason ?? ''],
  ]);
  return head + (badges.length === 0 ? '' : `\n${table(['BADGE', 'RELEASE', 'STATE', 'STEP', 'WHY'], badges)}`);
}

function lookedAt(look: LookView | null): [string, string | undefined][] {
  return [
    ['looked at', look?.last_tried_at ?? undefined],
    ['read last', look?.last_ok_at ?? undefined],
    ['why not', look?.last_error ?? undefined],
    ['next look', look?.due_at],
  ];
}
