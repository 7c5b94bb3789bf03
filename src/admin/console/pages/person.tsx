import type { OperatorRole } from '../../../directory/operator/operator.ts';
import { changePersonsRole, removeOnePerson, showPerson } from '../../operator/people/operations.ts';
import type { PersonView } from '../../operator/people/operations.ts';
import { addOperatorKey, listOperatorKeys } from '../../operator/people/operator-keys.ts';
import { endAllSessions, endOwnSessions, listConsoleSessions } from '../../operator/people/sessions.ts';
import { createLink } from '../../operator/sign-in/operations.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { ChoiceField, LineField, phraseOf } from '../parts/fields.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts } from '../parts/table.tsx';
import { IdLink, Said, State, When, Who } from '../parts/words.tsx';
import { KEY_LIVES, ROLES } from './access-choices.ts';
import { OpenSessions, OperatorKeys } from './person-access.tsx';

/** One person: what they may, where they are signed in, and their keys. */
export const personPage: ConsolePage = {
  path: '/people/:person_id',
  async show(call) {
    const { person_id = '' } = call.params;
    const person = await call.read(showPerson, { params: { person_id } });
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/people">People</a>
          {` / ${person_id}`}
        </p>
        <h1>
          <Said>{person.name}</Said>
        </h1>
        <RoleNote call={call} role={changePersonsRole.role} />
        <About call={call} person={person} />
        {await access(call, person_id)}
        {person.state === 'active' && <PersonForms call={call} person={person} />}
      </>
    );
    return { title: person.name, body };
  },
};

/** Whoever is signed in. */
export const mePage: ConsolePage = {
  path: '/me',
  async show(call) {
    const { operator } = call;
    const { person_id } = operator;
    if (person_id === null) return { title: 'You', body: <SharedKey call={call} /> };
    const person = await call.read(showPerson, { params: { person_id } });
    const body = (
      <>
        <h1>
          {'You: '}
          <Said>{operator.name}</Said>
        </h1>
        <About call={call} person={person} />
        {await access(call, person_id)}
        <div class="forms more">
          <ActionForm call={call} operation={endOwnSessions} of={{}} label="End my other sessions" isFinal>
            <h2>Other browsers</h2>
            <p>Signs you out wherever else you are signed in.</p>
          </ActionForm>
          <NewKey call={call} person_id={person_id} role={person.role} />
        </div>
      </>
    );
    return { title: 'You', body };
  },
};

function SharedKey({ call: { operator } }: { call: PageCall }): Markup {
  return (
    <>
      <h1>
        {'You: '}
        <Who of={operator.name} />
      </h1>
      <p class="note">
        {`This session is of the shared key, as ${operator.role}: the record cannot say who acts. Better have a name: `}
        <a href="/admin/people">invite yourself</a>
        {', and sign in by that link.'}
      </p>
    </>
  );
}

function About({ call: { now }, person }: { call: PageCall; person: PersonView }): Markup {
  return (
    <Facts
      of={[
        ['Role', person.role],
        ['State', <State of={person.state} />],
        ['E-mail', person.email !== null && <Said>{person.email}</Said>],
        ['Signs in at', person.oidc !== undefined && <Said>{person.oidc.issuer}</Said>],
        ['Since', <When at={person.created_at} now={now} />],
        ['Invited by', <Who of={person.invited_by} />],
        ['Removed', person.removed_at !== null && <When at={person.removed_at} now={now} />],
        ['Removed by', person.removed_by !== null && <Who of={person.removed_by} />],
        ['What they did', <a href={`/admin/audit?by=${encodeURIComponent(person.name)}`}>the record</a>],
        ['Person', <IdLink of={person.person_id} />],
      ]}
    />
  );
}

/** The tables of a person's sessions and keys. */
async function access(call: PageCall, person_id: string): Promise<Markup> {
  const [{ sessions }, { operator_keys }] = await Promise.all([
    call.read(listConsoleSessions, { query: { person_id } }),
    call.read(listOperatorKeys, { query: { person_id } }),
  ]);
  return (
    <>
      <OpenSessions call={call} sessions={sessions} />
      <OperatorKeys call={call} title="Keys of the operator API" keys={operator_keys} empty="There is none." />
    </>
  );
}

function PersonForms({ call, person: { person_id, name, role } }: { call: PageCall; person: PersonView }): Markup {
  return (
    <div class="forms more">
      <ActionForm call={call} operation={changePersonsRole} of={{ person_id }} label="Change the role">
        <h2>Role</h2>
        <p>Their sessions end, so that none goes on under the former one. The last admin stays one.</p>
        <ChoiceField name="role" label="Role" choices={ROLES} chosen={role} />
      </ActionForm>
      <ActionForm call={call} operation={createLink} of={{}} label="Make a sign-in link">
        <h2>Sign-in link</h2>
        <p>The next page shows it, once; it is good for 15 minutes.</p>
        <input type="hidden" name="person_id" value={person_id} />
      </ActionForm>
      <NewKey call={call} person_id={person_id} role={role} />
      <ActionForm call={call} operation={endAllSessions} of={{}} label="End all sessions" isFinal>
        <h2>Sessions</h2>
        <p>Signs them out of every browser.</p>
        <input type="hidden" name="person_id" value={person_id} />
      </ActionForm>
      <ActionForm
        call={call}
        operation={removeOnePerson}
        of={{ person_id }}
        label="Remove for good"
        isFinal
        phrase={phraseOf(name, person_id)}
      >
        <h2>Remove</h2>
        <p>Their sessions and operator keys end. The record keeps their name. The last admin stays.</p>
        <WordsField name="reason" label="Reason" isNeeded />
      </ActionForm>
    </div>
  );
}

function NewKey({ call, person_id, role }: { call: PageCall; person_id: string; role: OperatorRole }): Markup {
  return (
    <ActionForm call={call} operation={addOperatorKey} of={{}} label="Make an operator key">
      <h2>Operator key</h2>
      <p>
        For the operator API and the command line. The next page shows it, once; it never has more than the person’s
        role.
      </p>
      <input type="hidden" name="person_id" value={person_id} />
      <LineField name="name" label="Name" hint="Where it is kept, such as: laptop." isNeeded />
      <ChoiceField name="role" label="Role" choices={ROLES} chosen={role} />
      <ChoiceField name="days" label="It ends" choices={KEY_LIVES} chosen="90" />
    </ActionForm>
  );
}
