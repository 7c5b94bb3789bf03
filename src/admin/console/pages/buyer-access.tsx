import { mayAct } from '../../../directory/operator/operator.ts';
import { PORTAL_CLIENT_ID } from '../../../directory/oauth/account-sign-in.ts';
import type { GrantFacts } from '../../../directory/oauth/grant-facts.ts';
import { addBuyerKey, rerollBuyerKey, revokeBuyerKey } from '../../operator/buyers/api-keys.ts';
import type { BuyerKeyView } from '../../operator/buyers/api-keys.ts';
import { endAccount, endGrant } from '../../operator/buyers/grants.ts';
import type { BuyerPersonView } from '../../operator/buyers/people.ts';
import { createBuyersPortalLink, endBuyersPortalSessions } from '../../operator/buyers/portal.ts';
import type { PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { Table } from '../parts/table.tsx';
import type { Column } from '../parts/table.tsx';
import { IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';

/** A buyer's API keys, and how each is taken back. */
export function BuyerKeys({
  call,
  organization_id,
  keys,
  hasMore,
}: {
  call: PageCall;
  organization_id: string;
  keys: readonly BuyerKeyView[];
  hasMore: boolean;
}): Markup {
  const { now } = call;
  const mayAdd = mayAct(call.operator.role, addBuyerKey.role);
  const mayEnd = mayAct(call.operator.role, revokeBuyerKey.role);
  const revoked = new Set(keys.flatMap(({ api_key_id, revoked_at }) => (revoked_at === null ? [] : [api_key_id])));
  const actions: Column<BuyerKeyView> = {
    heading: 'Actions',
    cell: (key) => (
      <>
        {mayBeRerolled(key, revoked, now) && mayAct(call.operator.role, rerollBuyerKey.role) && (
          <Reroll call={call} of={key} />
        )}
        {key.revoked_at === null && <Revoke call={call} of={key} />}
      </>
    ),
  };
  return (
    <section>
      <h2>API keys</h2>
      <Table
        caption="API keys, newest first"
        rows={keys}
        empty="It has none, so that nobody calls for it by key."
        columns={[
          { heading: 'Name', isWide: true, cell: (key) => <Said>{key.name}</Said> },
          { heading: 'Ends with', cell: (key) => <span class="id">{`…${key.key_hint}`}</span> },
          { heading: 'May', isWide: true, cell: (key) => key.scopes.join(', ') },
          { heading: 'Made', cell: (key) => <When at={key.created_at} now={now} /> },
          { heading: 'Last used', cell: (key) => <When at={key.last_used_at} now={now} /> },
          { heading: 'Expires', cell: (key) => key.revoked_at === null && <When at={key.expires_at} now={now} /> },
          {
            heading: 'State',
            cell: (key) => (
              <>
                <State of={stateOf(key, now)} />
                {key.replaced_by !== undefined && (
                  <span class="quiet">
                    {`, in its place ${key.replaced_by}`}
                    {revoked.has(key.replaced_by) && ', which is revoked'}
                  </span>
                )}
                {key.slot !== undefined && <span class="quiet">, changed where it is set</span>}
              </>
            ),
          },
          ...(mayEnd && keys.some(({ revoked_at }) => revoked_at === null) ? [actions] : []),
        ]}
      />
      {hasMore && <p class="quiet">Older ones are not shown: npm run agent -- buyers keys list</p>}
      {mayAdd && (
        <p>
          <a class="go" href={`/admin/buyers/${encodeURIComponent(organization_id)}/keys/new`}>
            Make a key
          </a>
        </p>
      )}
    </section>
  );
}

const OVERLAPS = [
  ['0', 'none: it ends at once'],
  ['1', '1 day'],
  ['7', '7 days'],
  ['14', '14 days'],
  ['30', '30 days'],
] as const;

function Reroll({ call, of }: { call: PageCall; of: BuyerKeyView }): Markup {
  const { organization_id, api_key_id } = of;
  return (
    <details>
      <summary>Reroll</summary>
      <ActionForm call={call} operation={rerollBuyerKey} of={{ organization_id, api_key_id }} label="Reroll it" isFinal>
        <p>The next page shows a new key of the same name and scopes, once. Then this one ends by itself.</p>
        <ChoiceField name="overlap_days" label="Both are good for" choices={OVERLAPS} chosen="7" />
      </ActionForm>
    </details>
  );
}

/** Whether it may have a successor, or another one than that which was revoked; the operation looks more closely. */
function mayBeRerolled(key: BuyerKeyView, revoked: ReadonlySet<string>, now: number): boolean {
  const { replaced_by, slot } = key;
  return (
    stateOf(key, now) === 'active' && slot === undefined && (replaced_by === undefined || revoked.has(replaced_by))
  );
}

function Revoke({ call, of }: { call: PageCall; of: BuyerKeyView }): Markup {
  const { organization_id, api_key_id } = of;
  return (
    <details>
      <summary>Revoke</summary>
      <ActionForm
        call={call}
        operation={revokeBuyerKey}
        of={{ organization_id, api_key_id }}
        label="Revoke for good"
        isFinal
      >
        <p>Within 3 seconds it opens nothing anywhere.</p>
        <WordsField name="reason" label="Reason" isNeeded />
      </ActionForm>
    </details>
  );
}

function stateOf({ revoked_at, expires_at }: BuyerKeyView, now: number): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}

/** How people of a buyer who have no key at hand are let in to the portal, and how all are put out. */
export function BuyerPortal({ call, organization_id }: { call: PageCall; organization_id: string }): Markup {
  if (!mayAct(call.operator.role, createBuyersPortalLink.role)) return <></>;
  return (
    <section>
      <h2>The portal</h2>
      <p class="quiet">Where they see their own webhooks, with an API key of theirs or by a one-time link.</p>
      <div class="forms">
        <ActionForm call={call} operation={createBuyersPortalLink} of={{ organization_id }} label="Make a link">
          <p>Opens their portal once, within 15 minutes: to see, to send again, to end registrations.</p>
        </ActionForm>
        <ActionForm
          call={call}
          operation={endBuyersPortalSessions}
          of={{ organization_id }}
          label="End their sessions there"
          isFinal
        >
          <p>Ends their links that nobody has used, too. A key of theirs opens the portal again.</p>
          <WordsField name="reason" label="Reason" hint="For the record." isNeeded />
        </ActionForm>
      </div>
    </section>
  );
}

/** Who belongs to a buyer. */
export function BuyerPeople({ call, people }: { call: PageCall; people: readonly BuyerPersonView[] }): Markup {
  return (
    <section>
      <h2>People</h2>
      <Table
        caption="People, the oldest membership first"
        rows={people}
        empty="Nobody has signed up for it."
        columns={[
          { heading: 'E-mail', isWide: true, cell: (one) => <Said>{one.email ?? 'unknown'}</Said> },
          { heading: 'Role', cell: (one) => one.role },
          { heading: 'Since', cell: (one) => <When at={one.since} now={call.now} /> },
          { heading: 'Person', isWide: true, cell: (one) => <Said>{one.user_id}</Said> },
        ]}
      />
    </section>
  );
}

/** What people have allowed applications to do for buyers, and how that is ended. */
export function BuyerGrants({ call, grants }: { call: PageCall; grants: readonly GrantFacts[] }): Markup {
  const { now } = call;
  const mayEnd = mayAct(call.operator.role, endGrant.role);
  const end: Column<GrantFacts> = {
    heading: 'Actions',
    cell: (one) => one.revoked_at === null && <EndGrant call={call} of={one} />,
  };
  return (
    <section>
      <h2>Applications that people let in (OAuth grants)</h2>
      <Table
        caption="OAuth grants, newest first"
        rows={grants}
        empty="Nobody has let an application in. People do so when they connect one to this agent and sign in; what they allowed is ended here."
        columns={[
          {
            heading: 'Person',
            isWide: true,
            cell: (one) => (
              <a href={`/admin/grants?subject=${encodeURIComponent(one.subject)}`}>
                <Said>{one.email}</Said>
              </a>
            ),
          },
          {
            heading: 'For',
            cell: ({ organization_id }) =>
              organization_id === null ? (
                'no organization'
              ) : (
                <IdLink of={organization_id} to={pageOfId('/buyers', organization_id)} />
              ),
          },
          {
            heading: 'Application',
            isWide: true,
            cell: (one) =>
              one.client_id === PORTAL_CLIENT_ID ? 'the portal of this agent' : <Said>{one.client_id}</Said>,
          },
          { heading: 'May', isWide: true, cell: (one) => one.scopes.join(', ') },
          { heading: 'At', isWide: true, cell: (one) => <Said>{one.resource}</Said> },
          { heading: 'Since', cell: (one) => <When at={one.created_at} now={now} /> },
          { heading: 'State', cell: (one) => <State of={one.revoked_at === null ? 'active' : 'ended'} /> },
          ...(mayEnd && grants.some(({ revoked_at }) => revoked_at === null) ? [end] : []),
        ]}
      />
    </section>
  );
}

function EndGrant({ call, of: { grant_id, subject } }: { call: PageCall; of: GrantFacts }): Markup {
  return (
    <details>
      <summary>End</summary>
      <ActionForm call={call} operation={endGrant} of={{ grant_id }} label="End this grant" isFinal>
        <p>Its refresh token opens nothing at once, its access tokens within 3 seconds.</p>
        <WordsField name="reason" label="Reason" isNeeded />
      </ActionForm>
      <ActionForm call={call} operation={endAccount} of={{ subject }} label="End all of this person" isFinal>
        <p>For a password that leaked: every grant of theirs, and every browser they are signed in with.</p>
        <WordsField name="reason" label="Reason" isNeeded />
      </ActionForm>
    </details>
  );
}
