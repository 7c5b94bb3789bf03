import { z } from 'zod';
import {
  addAccessKey,
  OperatorAccessKey,
  OperatorAccessKeys,
  revokeAccessKey,
} from '../../../directory/operator/access-key.ts';
import { OPERATOR_ROLES } from '../../../directory/operator/operator.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { Id, Name, pageQuery, Words } from '../fields.ts';
import { clickOf, operation } from '../operation.ts';

export const OperatorKeyView = z.object(OperatorAccessKey.shape).omit({ key_hash: true, revision: true });
export type OperatorKeyView = z.infer<typeof OperatorKeyView>;

export const listOperatorKeys = operation({
  method: 'get',
  path: '/operator-keys',
  summary: 'List the keys of the operator API that have a name, newest first; the shared key has none.',
  role: 'viewer',
  query: z.strictObject({ person_id: Id.optional(), ...pageQuery }),
  answer: z.object({ operator_keys: z.array(OperatorKeyView), ...pageView }),
  async handle({ query: { person_id, limit, cursor } }, { store }) {
    const page = await store.collection(OperatorAccessKeys).find({
      where: person_id === undefined ? { created_at: { gte: '0' } } : { person_id },
      sort: { field: 'created_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { operator_keys: page.rows, ...pageEnd(page.cursor) };
  },
});

/** The key is shown here and never again. */
export const addOperatorKey = operation({
  method: 'post',
  path: '/operator-keys/add',
  summary: 'Make a key of the operator API with a name, a role and an end; it is shown once.',
  role: 'admin',
  action: 'operator_keys.add',
  done: ({ name }) => `The key ${name} is made.`,
  asksFreshSignIn: true,
  decides: 'operator_key.made',
  concerns: ({ operator_key_id, role }) => ({ target: operator_key_id, reason: `role ${role}` }),
  hasSecret: true,
  body: z.strictObject({
    name: Name,
    role: z.enum(OPERATOR_ROLES),
    /** Whose it is; default: a program's. It never has more than its person's role, and ends with them. */
    person_id: Id.optional(),
    /** Default: it does not end by itself. */
    days: z.coerce
      .number('must be a number of days')
      .int('must be whole')
      .min(1, 'must be at least 1')
      .max(3650, 'must be at most 3650')
      .optional(),
  }),
  answer: OperatorKeyView.extend({ key: z.string() }),
  async handle({ body }, call) {
    const { raw, key } = await addAccessKey(call, { ...body, by: call.by, click: clickOf(call) });
    return { ...key, key: raw };
  },
});

export const revokeOperatorKey = operation({
  method: 'post',
  path: '/operator-keys/:operator_key_id/revoke',
  summary: 'Revoke a key of the operator API, on every server at once and for good.',
  role: 'admin',
  action: 'operator_keys.revoke',
  done: ({ name }) => `The key ${name} is revoked.`,
  asksFreshSignIn: true,
  decides: 'operator_key.revoked',
  params: z.strictObject({ operator_key_id: Id }),
  body: z.strictObject({
    /** For the record. */
    reason: Words,
  }),
  answer: OperatorKeyView,
  handle: ({ params: { operator_key_id } }, call) => revokeAccessKey(call, operator_key_id),
});
