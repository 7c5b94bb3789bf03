import { Command, Option } from 'commander';
import {
  changePersonsRole,
  invitePerson,
  listPeople,
  removeOnePerson,
  showPerson,
} from '../../admin/operator/people/operations.ts';
import type { PersonView } from '../../admin/operator/people/operations.ts';
import {
  endAllSessions,
  endOneSession,
  endOwnSessions,
  listConsoleSessions,
} from '../../admin/operator/people/sessions.ts';
import { OPERATOR_ROLES } from '../../directory/operator/operator.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import { whoWords } from '../../admin/operator/who-words.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

const roleOption = () => new Option('--role <role>', 'what they may').choices(OPERATOR_ROLES).makeOptionMandatory();

/** `people …`: who works at the seller, and what they may. */
export function peopleCommands(run: Run): Command {
  return new Command('people')
    .description('Who works at the seller, and what they may.')
    .addCommand(
      run(paged(new Command('list').description(listPeople.summary)), {
        ask: (client, _args, { limit, cursor }: PagingOptions) => client.call(listPeople, { query: { limit, cursor } }),
        rows: (answer) => answer.people,
        show: (answer) => listed(answer.people) + more(answer),
      }),
    )
    .addCommand(
      run(new Command('show').description(showPerson.summary).argument('<person_id>'), {
        ask: (client, [person_id]: [string]) => client.call(showPerson, { params: { person_id } }),
        show: (answer) => shown(answer),
      }),
    )
    .addCommand(
      run(
        new Command('invite')
          .description(invitePerson.summary)
          .argument('<name>')
          .addOption(roleOption())
          .option('--email <address>', 'theirs'),
        {
          ask: (client, [name]: [string], { role, email }: { role: string; email?: string }) =>
            client.call(invitePerson, { body: { name, role, email } }),
          show: (answer) => `${shown(answer)}\n${wayIn(answer)}\n`,
        },
      ),
    )
    .addCommand(
      run(new Command('role').description(changePersonsRole.summary).argument('<person_id>').addOption(roleOption()), {
        ask: (client, [person_id]: [string], { role }: { role: string }) =>
          client.call(changePersonsRole, { params: { person_id }, body: { role } }),
        show: (answer) => shown(answer),
      }),
    )
    .addCommand(
      run(
        new Command('remove')
          .description(removeOnePerson.summary)
          .argument('<person_id>')
          .requiredOption('--reason <words>', 'why, for the record'),
        {
          ask: (client, [person_id]: [string], { reason }: { reason: string }) =>
            client.call(removeOnePerson, { params: { person_id }, body: { reason } }),
          show: (answer) =>
            `${shown(answer)}${answer.sessions_ended} sessions ended, ${answer.keys_revoked} operator keys revoked\n`,
        },
      ),
    );
}

function wayIn({ sign_in_url, email }: { sign_in_url: string | null; email: string | null }): string {
  return sign_in_url === null
    ? `They sign in at the identity provider as ${email ?? 'nobody'}; one-time links are switched off.`
    : `Their link, once, within 24 hours:\n${sign_in_url}`;
}

/** `sessions …`: who is signed in to the console. */
export function sessionCommands(run: Run): Command {
  return new Command('sessions')
    .description('Who is signed in to the console.')
    .addCommand(
      run(paged(new Command('list').description(listConsoleSessions.summary).option('--person <id>', "one person's")), {
        ask: (client, _args, { person, limit, cursor }: PagingOptions & { person?: string }) =>
          client.call(listConsoleSessions, { query: { person_id: person, limit, cursor } }),
        rows: (answer) => answer.sessions,
        show(answer) {
          if (answer.sessions.length === 0) return 'Nobody is signed in.\n';
          const rows = answer.sessions.map(({ session_id, name, created_at, last_seen_at, expires_at, address }) => [
            ...[session_id, name, created_at, last_seen_at, expires_at, address ?? ''],
          ]);
          return table(['SESSION', 'WHO', 'SINCE', 'LAST SEEN', 'ENDS', 'FROM'], rows) + more(answer);
        },
      }),
    )
    .addCommand(
      run(new Command('end').description(endOneSession.summary).argument('<session_id>'), {
        ask: (client, [session_id]: [string]) => client.call(endOneSession, { params: { session_id } }),
        show: ({ session_id }) => `${session_id} ended\n`,
      }),
    )
    .addCommand(
      run(new Command('end-mine').description(endOwnSessions.summary), {
        ask: (client) => client.call(endOwnSessions, {}),
        show: ({ sessions_ended }) => `${sessions_ended} sessions ended\n`,
      }),
    )
    .addCommand(
      run(new Command('end-all').description(endAllSessions.summary).option('--person <id>', "one person's only"), {
        ask: (client, _args, { person }: { person?: string }) =>
          client.call(endAllSessions, { body: { person_id: person } }),
        show: ({ sessions_ended }) => `${sessions_ended} sessions ended\n`,
      }),
    );
}

function listed(people: readonly PersonView[]): string {
  if (people.length === 0) return 'Nobody yet: whoever has the shared operator key is an admin.\n';
  const rows = people.map(({ person_id, name, role, email, state, created_at, invited_by }) => [
    ...[
      person_id,
      name,
      state === 'removed' ? `${role}, removed` : role,
      email ?? '',
      created_at,
      whoWords(invited_by),
    ],
  ]);
  return table(['PERSON', 'NAME', 'ROLE', 'E-MAIL', 'SINCE', 'INVITED BY'], rows);
}

function shown({ person_id, name, role, email, state, invited_by, removed_at }: PersonView): string {
  return facts([
    ...([['person', person_id] as const, ['name', name] as const] as const),
    ['role', role],
    ['e-mail', email ?? undefined],
    ['state', state],
    ['invited by', whoWords(invited_by)],
    ['removed', removed_at ?? undefined],
  ]);
}
