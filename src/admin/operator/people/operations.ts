import { z } from 'zod';
import { revokeKeysOfPerson } from '../../../directory/operator/access-key.ts';
import { OPERATOR_ROLES } from '../../../directory/operator/operator.ts';
import {
  addPerson,
  changeRole,
  knownPerson,
  OperatorPeople,
  OperatorPerson,
  removePerson,
} from '../../../directory/operator/person.ts';
import { AppError } from '../../../platform/errors.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { endSessions } from '../../session.ts';
import { createSignInLink } from '../../sign-in-link.ts';
import { Id, Name, pageQuery, Words } from '../fields.ts';
import { clickOf, operation } from '../operation.ts';

export const PersonView = z.object(OperatorPerson.shape).omit({ name_key: true, revision: true });
export type PersonView = z.infer<typeof PersonView>;

/** Who works at the seller, those removed too, newest first. */
export const listPeople = operation({
  method: 'get',
  path: '/people',
  summary: 'List the people who work at the seller and their roles, newest first.',
  role: 'viewer',
  query: z.strictObject({ ...pageQuery }),
  answer: z.object({ people: z.array(PersonView), ...pageView }),
  async handle({ query: { limit, cursor } }, { store }) {
    const page = await store.collection(OperatorPeople).find({
      where: { created_at: { gte: '0' } },
      sort: { field: 'created_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { people: page.rows, ...pageEnd(page.cursor) };
  },
});

const PersonParams = z.strictObject({ person_id: Id });

export const showPerson = operation({
  method: 'get',
  path: '/people/:person_id',
  summary: 'Show a person who works at the seller, also one who was removed.',
  role: 'viewer',
  params: PersonParams,
  answer: PersonView,
  async handle({ params: { person_id } }, { store }) {
    const person = await store.collection(OperatorPeople).get(person_id);
    if (person !== undefined) return person;
    throw new AppError('NOT_FOUND', 'no person has this id', { field: 'person_id' });
  },
});

/**
 * Adds a person, and makes the link that signs them in for the first time. Where links are switched off they sign in at the
 * identity provider, which knows them by their e-mail address.
 */
export const invitePerson = operation({
  method: 'post',
  path: '/people/invite',
  summary: 'Add a person with a role, and make a link that signs them in once within 24 hours.',
  role: 'admin',
  action: 'people.invite',
  done: ({ name }) => `${name} is invited.`,
  asksFreshSignIn: true,
  decides: 'person.invited',
  concerns: ({ person_id, role }) => ({ target: person_id, reason: `role ${role}` }),
  hasSecret: true,
  body: z.strictObject({
    name: Name,
    email: z.email('must be an e-mail address').max(254).optional(),
    role: z.enum(OPERATOR_ROLES),
  }),
  /** `sign_in_url`: null where links are switched off. */
  answer: PersonView.extend({ sign_in_url: z.string().nullable() }),
  async handle({ body }, call) {
    if (call.onlySignInAt !== undefined && body.email === undefined) throw addressMissing(call.onlySignInAt);
    const person = await addPerson(call, { ...body, by: call.by, click: clickOf(call) });
    if (call.onlySignInAt !== undefined) return { ...person, sign_in_url: null };
    const sign_in_url = await createSignInLink(call, call.baseUrl, person, { isInvitation: true });
    return { ...person, sign_in_url };
  },
});

function addressMissing(host: string): AppError {
  const message = `email must be given: people sign in at ${host} only, which knows them by it (SIGN_IN_LINKS)`;
  return new AppError('VALIDATION_ERROR', message, { field: 'email' });
}

/** Their sessions end, so that none goes on under the former role. */
export const changePersonsRole = operation({
  method: 'post',
  path: '/people/:person_id/role',
  summary: 'Give a person another role; their sessions end. The last admin stays one.',
  role: 'admin',
  action: 'people.role',
  done: ({ name, role }) => `${name} is ${role} now.`,
  asksFreshSignIn: true,
  decides: 'person.role_changed',
  concerns: ({ person_id, role }) => ({ target: person_id, reason: `role ${role}` }),
  params: PersonParams,
  body: z.strictObject({ role: z.enum(OPERATOR_ROLES) }),
  /** `former_role` stands on record with it. */
  answer: PersonView.extend({ former_role: z.enum(OPERATOR_ROLES), sessions_ended: z.int() }),
  async handle({ params: { person_id }, body: { role } }, call) {
    const { role: former_role } = await knownPerson(call, person_id);
    const person = await changeRole(call, person_id, role);
    return { ...person, former_role, sessions_ended: await endSessions(call, person_id) };
  },
});

export const removeOnePerson = operation({
  method: 'post',
  path: '/people/:person_id/remove',
  summary: 'Remove a person for good, with their sessions and operator keys. The last admin stays.',
  role: 'admin',
  action: 'people.remove',
  done: ({ name }) => `${name} is removed.`,
  asksFreshSignIn: true,
  decides: 'person.removed',
  params: PersonParams,
  body: z.strictObject({
    /** For the record. */
    reason: Words,
  }),
  answer: PersonView.extend({ sessions_ended: z.int(), keys_revoked: z.int() }),
  async handle({ params: { person_id } }, call) {
    const person = await removePerson(call, person_id, call.by);
    const sessions_ended = await endSessions(call, person_id);
    return { ...person, sessions_ended, keys_revoked: await revokeKeysOfPerson(call, person_id) };
  },
});
