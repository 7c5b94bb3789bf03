import { AgentVisibility } from '../../../directory/agent/agent.ts';
import { checkRegistryAgent, listRegistryAgents, showRegistryAgent } from '../../operator/registry/agents.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { Count, IdLink, pageOfId, Said, State, When } from '../parts/words.tsx';
import { lookFacts, lookState } from './registry-look.tsx';

const TABS = {
  publishers: '/registry',
  agents: '/registry/agents',
  'join requests': '/registry/join-requests',
  'blocked domains': '/registry/blocked-domains',
} as const;

/** The registry's lists. */
export function RegistryTabs({ chosen }: { chosen: keyof typeof TABS }): Markup {
  return <PageTabs label="What of the registry" of={TABS} chosen={chosen} />;
}

/** The agents that organizations have registered. */
export const registryAgentsPage: ConsolePage = {
  path: '/registry/agents',
  list: { of: listRegistryAgents, rows: 'agents' },
  async show({ query, read, now }) {
    const { visibility = 'public', organization_id } = query;
    const { agents, cursor } = await read(listRegistryAgents, { query: { ...query, visibility } });
    const body = (
      <>
        <h1>Registry</h1>
        <RegistryTabs chosen="agents" />
        {organization_id === undefined ? (
          <Tabs
            label="Which agents"
            path="/registry/agents"
            name="visibility"
            choices={AgentVisibility.options}
            chosen={visibility}
          />
        ) : (
          <p class="note">
            {'Of one organization: '}
            <IdLink of={organization_id} to={pageOfId('/buyers', organization_id)} />
            {'. '}
            <a href="/admin/registry/agents">Show all</a>
          </p>
        )}
        <Table
          caption="Agents"
          rows={agents}
          empty="There are none. Organizations register theirs by the registry's own interface."
          columns={[
            {
              heading: 'Agent',
              cell: (one) => (
                <a href={`/admin${pageOfId('/registry/agents', one.agent_id)}`}>
                  <Said>{one.name}</Said>
                </a>
              ),
            },
            { heading: 'URL', cell: (one) => <Said>{one.url}</Said> },
            { heading: 'Does', cell: (one) => one.type },
            { heading: 'Seen by', cell: (one) => one.visibility.replaceAll('_', ' ') },
            { heading: 'Verified', cell: (one) => (one.is_verified ? 'yes' : 'no') },
            { heading: 'Last check', cell: (one) => lookState(one.look) },
            { heading: 'When', cell: (one) => one.look !== null && <When at={one.look.last_tried_at} now={now} /> },
            { heading: 'Why not', isWide: true, cell: (one) => <Said>{one.look?.last_error}</Said> },
          ]}
        />
        <Pages path="/registry/agents" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Registry: agents', body };
  },
};

/** One agent: its badges, and how its checks went. */
export const registryAgentPage: ConsolePage = {
  path: '/registry/agents/:agent_id',
  async show(call) {
    const { now } = call;
    const one = await call.read(showRegistryAgent, { params: call.params });
    const { agent_id, organization_id } = one;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/registry">Registry</a>
          {' / '}
          <a href="/admin/registry/agents">agents</a>
        </p>
        <h1>
          <Said>{one.name}</Said>
        </h1>
        <Facts
          of={[
            ['URL', <Said>{one.url}</Said>],
            ['Organization', <IdLink of={organization_id} to={pageOfId('/buyers', organization_id)} />],
            ['Does', one.type],
            ['Seen by', one.visibility.replaceAll('_', ' ')],
            ['Says of itself', one.description !== null && <Said>{one.description}</Said>],
            ['Registered', <When at={one.created_at} now={now} />],
            ...lookFacts('Last check', one.look, now),
          ]}
        />
        <h2>Badges</h2>
        <Table
          caption="Badges"
          rows={one.badges}
          empty="It has none: no check has found that it does what a role asks."
          columns={[
            { heading: 'Role', cell: (badge) => badge.role },
            { heading: 'Release', cell: (badge) => badge.version },
            { heading: 'State', cell: (badge) => <State of={badge.status} /> },
            { heading: 'Step', cell: (badge) => badge.step ?? '' },
            { heading: 'Why', isWide: true, cell: (badge) => <Said>{badge.reason}</Said> },
          ]}
        />
        <h2>Last checks</h2>
        <Table
          caption="Last checks, newest first"
          rows={one.checks}
          empty="It has not been checked yet."
          columns={[
            { heading: 'When', cell: (check) => <When at={check.checked_at} now={now} /> },
            { heading: 'Reached', cell: (check) => <State of={check.is_reachable ? 'ok' : 'failed'} /> },
            { heading: 'Milliseconds', isNumber: true, cell: (check) => <Count of={check.took_ms} /> },
            { heading: 'Release', cell: (check) => check.version ?? '' },
            { heading: 'Why not', isWide: true, cell: (check) => <Said>{check.reason}</Said> },
          ]}
        />
        <h2>Check now</h2>
        <RoleNote call={call} role={checkRegistryAgent.role} />
        <div class="forms">
          <ActionForm call={call} operation={checkRegistryAgent} of={{ agent_id }} label="Check it">
            <p>A worker checks it in a moment; badges come and go as at any other time.</p>
          </ActionForm>
        </div>
      </>
    );
    return { title: one.name, body };
  },
};
