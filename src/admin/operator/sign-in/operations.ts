import { z } from 'zod';
import { lesserRole, OPERATOR_ROLES } from '../../../directory/operator/operator.ts';
import { knownPerson } from '../../../directory/operator/person.ts';
import { AppError } from '../../../platform/errors.ts';
import { createSignInLink } from '../../sign-in-link.ts';
import type { LinkHolder } from '../../sign-in-link.ts';
import { Id } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorCall } from '../operation.ts';

/** Makes a one-time link into the console, good for 15 minutes: for a person, or for whoever asks. */
export const createLink = operation({
  method: 'post',
  path: '/sign-in-links/create',
  summary: 'Make a one-time link into the console, good for 15 minutes.',
  role: 'admin',
  action: 'sign_in_links.create',
  done: () => 'The link is made.',
  asksFreshSignIn: true,
  decides: 'console.link_made',
  concerns: (_answer, { body: { person_id } }) => ({ target: person_id }),
  hasSecret: true,
  body: z.strictObject({
    /** Whom it signs in; default: whose key it is made with. */
    person_id: Id.optional(),
    /** Of a link of the shared key; default: admin. A person has their own role. */
    role: z.enum(OPERATOR_ROLES).optional(),
  }),
  answer: z.object({ sign_in_url: z.string() }),
  async handle({ body }, call) {
    if (call.onlySignInAt !== undefined) throw switchedOff(call.onlySignInAt);
    const holder = await holderOf(body, call);
    const makesFirstAdmin = holder.person_id === null && holder.role === 'admin';
    return { sign_in_url: await createSignInLink(call, call.baseUrl, holder, { makesFirstAdmin }) };
  },
});

function switchedOff(host: string): AppError {
  return new AppError('INVALID_STATE', `one-time links are switched off here (SIGN_IN_LINKS); sign in at ${host}`, {
    suggestion: 'invite a person by the e-mail address that they have there: npm run agent -- people invite --email',
  });
}

/** @throws {AppError} `NOT_FOUND` for the person; `VALIDATION_ERROR` where there is none, or a role besides. */
async function holderOf(
  body: { person_id?: string | undefined; role?: LinkHolder['role'] | undefined },
  call: OperatorCall,
): Promise<LinkHolder> {
  const { operator } = call;
  const person_id = body.person_id ?? operator.person_id;
  if (person_id !== null) {
    if (body.role !== undefined) {
      throw new AppError('VALIDATION_ERROR', 'role must not be sent for a person, who has a role already', {
        field: 'role',
        suggestion: 'change it by npm run agent -- people role',
      });
    }
    const { role } = await knownPerson(call, person_id);
    return { person_id, role };
  }
  if (operator.credential.kind === 'operator_key') {
    throw new AppError('VALIDATION_ERROR', "person_id must say whom the link signs in: a program's key is nobody", {
      field: 'person_id',
    });
  }
  return { person_id, role: lesserRole(body.role ?? 'admin', operator.role) };
}
