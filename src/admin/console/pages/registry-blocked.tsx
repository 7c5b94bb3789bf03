import { BlockState } from '../../../directory/blocked-domain/blocked-domain-row.ts';
import { BlockedDomainType } from '../../../directory/blocked-domain/blocked-domain.ts';
import { mayAct } from '../../../directory/operator/operator.ts';
import {
  blockRegistryDomain,
  listBlockedDomains,
  unblockRegistryDomain,
} from '../../operator/registry/blocked-domains.ts';
import type { BlockedDomainView } from '../../operator/registry/blocked-domains.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Table } from '../parts/table.tsx';
import { Said, State, When, Who } from '../parts/words.tsx';
import { RegistryTabs } from './registry-agents.tsx';

const PATH = '/registry/blocked-domains';

/** What property checks sort out as infrastructure; one is looked up first, and then blocked or taken off. */
export const registryBlockedPage: ConsolePage = {
  path: PATH,
  topics: ['blocked_domains'],
  list: { of: listBlockedDomains, rows: 'blocked_domains' },
  async show(call) {
    const { query, read, now } = call;
    const { state = 'blocked', domain: written } = query;
    const { blocked_domains, cursor, domain } = await read(listBlockedDomains, { query: { ...query } });
    const body = (
      <>
        <h1>Registry</h1>
        <RegistryTabs chosen="blocked domains" />
        <p class="quiet">
          A property check sorts these out, with all below them, as infrastructure that is no publisher, and tells the
          reason. The first of them come from the catalog; what is changed here stays changed.
        </p>
        <form class="brief" method="get" action={`/admin${PATH}`}>
          <label>
            Domain
            <input type="text" name="domain" value={written} maxlength={253} required autocomplete="off" />
          </label>
          <button class="plain">Look it up</button>
        </form>
        <RoleNote call={call} role={blockRegistryDomain.role} />
        {domain === undefined ? (
          <Tabs label="Which domains" path={PATH} name="state" choices={BlockState.options} chosen={state} />
        ) : (
          <LookedUp call={call} domain={domain} entries={blocked_domains} />
        )}
        <Table
          caption="Domains"
          rows={blocked_domains}
          empty={
            domain === undefined
              ? `None is ${state}.`
              : 'Nothing on the list is about it: a property check looks for it among publishers.'
          }
          columns={[
            { heading: 'Domain', isWide: true, cell: (one) => <Said>{one.domain}</Said> },
            ...(domain === undefined
              ? []
              : [{ heading: 'State', cell: (one: BlockedDomainView) => <State of={one.state} /> }]),
            { heading: 'Kind', cell: (one) => one.domain_type.replaceAll('_', ' ') },
            { heading: 'Reason told', isWide: true, cell: (one) => <Said>{one.blocked_reason}</Said> },
            { heading: 'Changed', cell: (one) => <When at={one.changed_at} now={now} /> },
            { heading: 'By', cell: (one) => <Who of={one.changed_by ?? 'the catalog'} /> },
            state === 'unblocked' || domain !== undefined
              ? { heading: 'Taken off since', isWide: true, cell: (one) => <Said>{one.unblocked_reason}</Said> }
              : { heading: 'Take off', cell: (one) => <TakeOff call={call} one={one} /> },
          ]}
        />
        <Pages path={PATH} query={query} cursor={cursor} />
      </>
    );
    return { title: 'Blocked domains', body };
  },
};

interface LookedUpProps {
  call: PageCall;
  domain: string;
  entries: readonly BlockedDomainView[];
}

/** What a property check says of one domain, and how that is changed. */
function LookedUp({ call, domain, entries }: LookedUpProps): Markup {
  const by = entries.find(({ state }) => state === 'blocked');
  const own = entries.find((one) => one.domain === domain);
  return (
    <>
      <p class="note">
        <Said>{domain}</Said>
        {by === undefined ? ' is not blocked. ' : ' is blocked'}
        {by !== undefined && by.domain !== domain && (
          <>
            {' by '}
            <a href={`/admin${PATH}?domain=${encodeURIComponent(by.domain)}`}>
              <Said>{by.domain}</Said>
            </a>
          </>
        )}
        {by !== undefined && '. '}
        <a href={`/admin${PATH}`}>Show all</a>
      </p>
      {own?.state === 'blocked' && mayAct(call.operator.role, unblockRegistryDomain.role) && (
        <div class="forms">
          <Unblock call={call} domain={domain} />
        </div>
      )}
      {own?.state !== 'blocked' && (
        <div class="forms">
          <ActionForm call={call} operation={blockRegistryDomain} of={{ domain }} label={`Block ${domain}`} isFinal>
            <p>All below it is blocked with it, in every process at once.</p>
            <ChoiceField
              name="domain_type"
              label="It is"
              choices={BlockedDomainType.options.map((type) => [type, type.replaceAll('_', ' ')] as const)}
              {...(own && { chosen: own.domain_type })}
            />
            <WordsField name="reason" label="Why" hint="Told to whoever has the domain checked." isNeeded />
          </ActionForm>
        </div>
      )}
    </>
  );
}

function TakeOff({ call, one }: { call: PageCall; one: BlockedDomainView }): Markup {
  if (one.state !== 'blocked' || !mayAct(call.operator.role, unblockRegistryDomain.role)) return <></>;
  return (
    <details>
      <summary>Take it off</summary>
      <Unblock call={call} domain={one.domain} />
    </details>
  );
}

function Unblock({ call, domain }: { call: PageCall; domain: string }): Markup {
  return (
    <ActionForm call={call} operation={unblockRegistryDomain} of={{ domain }} label="Take it off">
      <p>A property check looks for it among publishers again.</p>
      <WordsField name="reason" label="Why" hint="For the record, and shown here." isNeeded />
    </ActionForm>
  );
}
