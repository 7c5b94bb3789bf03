import { invitePerson, listPeople } from '../../operator/people/operations.ts';
import { addOperatorKey, listOperatorKeys } from '../../operator/people/operator-keys.ts';
import type { OperatorKeyView } from '../../operator/people/operator-keys.ts';
import { listConsoleSessions } from '../../operator/people/sessions.ts';
import type { SessionView } from '../../session.ts';
import type { ConsolePage } from '../console-page.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { ChoiceField, LineField } from '../parts/fields.tsx';
import { Pages } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Table } from '../parts/table.tsx';
import { pageOfId, Said, State, When, Who } from '../parts/words.tsx';
import { KEY_LIVES, ROLES } from './access-choices.ts';
import { OperatorKeys, OpenSessions } from './person-access.tsx';

/** So many sessions and keys are read to say when somebody was last seen. */
const MANY = '100';

/** Who works at the seller, who is signed in, and the keys of programs. */
export const peoplePage: ConsolePage = {
  path: '/people',
  menu: 'People',
  async show(call) {
    const { query, read, now } = call;
    const [{ people, cursor }, { sessions }, { operator_keys }] = await Promise.all([
      read(listPeople, { query }),
      read(listConsoleSessions, { query: { limit: MANY } }),
      read(listOperatorKeys, { query: { limit: MANY } }),
    ]);
    const seen = lastSeen(sessions, operator_keys);
    const body = (
      <>
        <h1>People</h1>
        <RoleNote call={call} role={invitePerson.role} />
        <Table
          caption="People, newest first"
          rows={people}
          empty="Nobody yet: whoever has the shared operator key is an admin. Invite yourself first."
          columns={[
            {
              heading: 'Name',
              isWide: true,
              cell: (one) => (
                <a href={`/admin${pageOfId('/people', one.person_id)}`}>
                  <Said>{one.name}</Said>
                </a>
              ),
            },
            { heading: 'Role', cell: (one) => one.role },
            { heading: 'State', cell: (one) => <State of={one.state} /> },
            { heading: 'E-mail', cell: (one) => <Said>{one.email}</Said> },
            {
              heading: 'Last seen',
              cell: ({ person_id }) =>
                seen.has(person_id) ? (
                  <When at={seen.get(person_id)} now={now} />
                ) : (
                  <span class="quiet">not of late</span>
                ),
            },
            {
              heading: 'Sessions',
              isNumber: true,
              cell: ({ person_id }) => sessions.filter((one) => one.person_id === person_id).length,
            },
            {
              heading: 'Keys',
              isNumber: true,
              cell: ({ person_id }) =>
                operator_keys.filter((one) => one.person_id === person_id && one.revoked_at === null).length,
            },
            { heading: 'Invited by', cell: (one) => <Who of={one.invited_by} /> },
          ]}
        />
        <Pages path="/people" query={query} cursor={cursor} />
        <OpenSessions call={call} sessions={sessions} />
        <OperatorKeys
          call={call}
          title="Keys of programs"
          keys={operator_keys.filter(({ person_id }) => person_id === null)}
          empty="No program has one. Who has the shared key counts as an admin: give each program its own instead."
        />
        <div class="forms more">
          <ActionForm call={call} operation={invitePerson} of={{}} label="Invite">
            <h2>Invite a person</h2>
            <p>The next page shows the link, once, that signs them in within 24 hours.</p>
            <LineField name="name" label="Name" hint="As the record has it." isNeeded />
            <LineField
              name="email"
              label="E-mail"
              type="email"
              hint="Where they sign in at your identity provider; it is not written to."
            />
            <ChoiceField name="role" label="Role" choices={ROLES} />
          </ActionForm>
          <ActionForm call={call} operation={addOperatorKey} of={{}} label="Make a program’s key">
            <h2>A key for a program</h2>
            <p>For the operator API. The next page shows it, once. A person’s key is made on their page.</p>
            <LineField name="name" label="Name" isNeeded />
            <ChoiceField name="role" label="Role" choices={ROLES} />
            <ChoiceField name="days" label="It ends" choices={KEY_LIVES} chosen="90" />
          </ActionForm>
        </div>
      </>
    );
    return { title: 'People', body };
  },
};

/** By a browser or a key, of those that were read. */
function lastSeen(sessions: readonly SessionView[], keys: readonly OperatorKeyView[]): Map<string, string> {
  const seen = new Map<string, string>();
  const times = [
    ...sessions.map(({ person_id, last_seen_at }) => [person_id, last_seen_at] as const),
    ...keys.map(({ person_id, last_used_at }) => [person_id, last_used_at] as const),
  ];
  for (const [person_id, at] of times) {
    if (person_id !== null && at !== null && at > (seen.get(person_id) ?? '')) seen.set(person_id, at);
  }
  return seen;
}
