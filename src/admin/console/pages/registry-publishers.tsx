import {
  crawlRegistryPublisher,
  listRegistryPublishers,
  showRegistryPublisher,
} from '../../operator/registry/publishers.ts';
import type { ConsolePage } from '../console-page.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { Count, pageOfId, Said, State, When } from '../parts/words.tsx';
import { RegistryTabs } from './registry-agents.tsx';
import { lookFacts, lookState } from './registry-look.tsx';

const STATES = ['failing', 'adagents_json', 'hosted', 'catalog'] as const;

const WHY_NONE: Readonly<Record<string, string>> = {
  failing: 'Every file that is read could be read at the last look.',
  adagents_json: 'No publisher is known by a file of its own; one is read once somebody names it.',
  hosted: 'This house vouches for none: registry import adds them.',
  catalog: 'The catalog names none.',
};

/** What the registry knows of publishers; those whose file cannot be read first. */
export const registryPublishersPage: ConsolePage = {
  path: '/registry',
  menu: 'Registry',
  list: { of: listRegistryPublishers, rows: 'publishers' },
  async show({ query, read, now }) {
    const { state = 'failing' } = query;
    const { publishers, cursor } = await read(listRegistryPublishers, { query: { ...query, state } });
    const body = (
      <>
        <h1>Registry</h1>
        <RegistryTabs chosen="publishers" />
        <Tabs label="Which publishers" path="/registry" name="state" choices={STATES} chosen={state} />
        <Table
          caption="Publishers"
          rows={publishers}
          empty={WHY_NONE[state] ?? 'There are none.'}
          columns={[
            {
              heading: 'Publisher',
              cell: (one) => (
                <a href={`/admin${pageOfId('/registry/publishers', one.publisher_domain)}`}>
                  <Said>{one.publisher_domain}</Said>
                </a>
              ),
            },
            { heading: 'Known from', cell: (one) => one.source.replaceAll('_', ' ') },
            { heading: 'Vouches itself', cell: (one) => (one.verified ? 'yes' : 'no') },
            { heading: 'Properties', isNumber: true, cell: (one) => <Count of={one.properties_count} /> },
            { heading: 'Problems', isNumber: true, cell: (one) => <Count of={one.problems_count} /> },
            { heading: 'Last look', cell: (one) => lookState(one.look) },
            { heading: 'Read last', cell: (one) => one.look !== null && <When at={one.look.last_ok_at} now={now} /> },
            { heading: 'Why not', isWide: true, cell: (one) => <Said>{one.look?.last_error}</Said> },
          ]}
        />
        <Pages path="/registry" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Registry', body };
  },
};

/** One publisher: its file, what is wrong with it, and who may sell for it. */
export const registryPublisherPage: ConsolePage = {
  path: '/registry/publishers/:publisher_domain',
  async show(call) {
    const { now } = call;
    const one = await call.read(showRegistryPublisher, { params: call.params });
    const { publisher_domain, crawl, agents_count } = one;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/registry">Registry</a>
          {' / publishers'}
        </p>
        <h1>
          <Said>{publisher_domain}</Said>
        </h1>
        <Facts
          of={[
            ['Known from', one.source.replaceAll('_', ' ')],
            ['Vouches for its agents itself', one.verified ? 'yes' : 'no'],
            ['Properties', <Count of={one.properties_count} />],
            ['Managed by', one.manager_domain !== null && <Said>{one.manager_domain}</Said>],
            ['Its file', crawl?.source_url && <Said>{crawl.source_url}</Said>],
            ['Led there by', crawl?.location && <Said>{crawl.location}</Said>],
            ['Says it changed', crawl?.last_updated && <Said>{crawl.last_updated}</Said>],
            ['Names another place', crawl?.pending && <Said>{crawl.pending.location}</Said>],
            ['Taken over', crawl !== null && <When at={crawl.started_at} now={now} />],
            ...lookFacts('Its adagents.json', one.look, now),
            ...lookFacts('Its ads.txt', one.ads_txt, now),
          ]}
        />
        <h2>Problems of its file</h2>
        <Table
          caption="Problems of its file"
          rows={crawl?.problems ?? []}
          empty="None is known."
          columns={[{ heading: 'Problem', isWide: true, cell: (problem) => <Said>{problem}</Said> }]}
        />
        <h2>Who may sell for it</h2>
        {agents_count > one.agents.length && <p class="note">{`The first ${one.agents.length} of ${agents_count}.`}</p>}
        <Table
          caption="Agents that may sell for it now"
          rows={one.agents}
          empty="Nobody may, as far as the registry knows."
          columns={[
            { heading: 'Agent', cell: (agent) => <Said>{agent.agent_url}</Said> },
            { heading: 'For', isWide: true, cell: (agent) => <Said>{agent.authorized_for}</Said> },
            { heading: 'Says who', cell: (agent) => <State of={agent.source} /> },
          ]}
        />
        {one.source !== 'hosted' && (
          <>
            <h2>Look now</h2>
            <RoleNote call={call} role={crawlRegistryPublisher.role} />
            <div class="forms">
              <ActionForm
                call={call}
                operation={crawlRegistryPublisher}
                of={{ publisher_domain }}
                label="Read its file"
              >
                <p>A worker reads it in a moment; what has changed since is told to whoever follows the registry.</p>
              </ActionForm>
            </div>
          </>
        )}
      </>
    );
    return { title: publisher_domain, body };
  },
};
