import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { signedOf } from '../../../platform/stats/counted.ts';
import { readStats } from '../../../platform/stats/read-stats.ts';
import { KeyFacts } from '../../../webhooks/keys/key-set.ts';
import { Id, Words } from '../fields.ts';
import { operation } from '../operation.ts';

/** A key in the list. */
export const KeyLine = KeyFacts.extend({
  signed_24h: z
    .int()
    .describe('Webhooks that it has signed in the last 24 hours, each attempt counted, up to a minute ago'),
});
export type KeyLine = z.infer<typeof KeyLine>;

/** The keys that sign webhooks and the agent card, oldest first. */
export const listKeys = operation({
  method: 'get',
  path: '/keys',
  summary: 'Show all signing keys there have been, oldest first.',
  role: 'viewer',
  answer: z.object({ keys: z.array(KeyLine) }),
  async handle(_input, { webhooks, store, clock }) {
    const [keys, { points }] = await Promise.all([webhooks.keys.list(), readStats({ store, clock }, 'day')]);
    const signedBy = (kid: string) => points.reduce((sum, point) => sum + signedOf(point, kid), 0);
    return { keys: keys.map((key) => ({ ...key, signed_24h: signedBy(key.kid) })) };
  },
});

/** Adds a key that signs once every verifier has had time to learn of it. While one is upcoming, that is the one. */
export const rotateKey = operation({
  method: 'post',
  path: '/keys/rotate',
  summary: 'Add a signing key, published now and signing in ten minutes; while one is upcoming, that one is meant.',
  role: 'admin',
  action: 'keys.rotate',
  done: ({ kid, is_new }) =>
    is_new
      ? `The key ${kid} is added, and signs in ten minutes.`
      : `The key ${kid} was upcoming already; none is added.`,
  asksFreshSignIn: true,
  decides: 'signing_key.made',
  concerns: ({ kid, is_new }) => ({ target: kid, reason: is_new ? undefined : 'upcoming already' }),
  body: z.strictObject({ alg: KeyFacts.shape.alg.optional() }),
  /** `is_new`: not the one that was upcoming already. */
  answer: KeyFacts.extend({ is_new: z.boolean() }),
  async handle({ body: { alg } }, { webhooks: { keys } }) {
    const upcoming = (await keys.list()).find(
      ({ part, webhooks_only = false }) => part === 'upcoming' && !webhooks_only,
    );
    if (upcoming !== undefined) return { ...upcoming, is_new: false };
    const kid = await keys.rotate(alg === undefined ? {} : { alg });
    const made = (await keys.list()).find((key) => key.kid === kid);
    if (made === undefined) throw new Error(`the key ${kid} vanished while it was made`);
    return { ...made, is_new: true };
  },
});

/** Ends the trust in a key for good, at once; when it is the one that signs, its successor does from now on. */
export const revokeKey = operation({
  method: 'post',
  path: '/keys/:kid/revoke',
  summary: 'End the trust in a signing key, at once and for good.',
  role: 'admin',
  action: 'keys.revoke',
  done: ({ kid }) => `The key ${kid} is revoked.`,
  asksFreshSignIn: true,
  decides: 'signing_key.revoked',
  params: z.strictObject({ kid: Id }),
  body: z.strictObject({
    /** For the record. */
    reason: Words,
  }),
  answer: KeyFacts,
  async handle({ params: { kid } }, { webhooks: { keys } }) {
    const known = await keys.revoke(kid);
    const revoked = known ? (await keys.list()).find((key) => key.kid === kid) : undefined;
    if (revoked === undefined) throw new AppError('NOT_FOUND', 'no signing key has this kid', { field: 'kid' });
    return revoked;
  },
});
