import { z } from 'zod';
import { GrantFacts } from '../../../directory/oauth/grant-facts.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { BuyerAsked, Id, pageQuery, Words } from '../fields.ts';
import { operation } from '../operation.ts';

/** What people allowed applications by this agent's own authorization server, newest first. */
export const listGrants = operation({
  method: 'get',
  path: '/grants',
  summary: 'List what people have allowed applications (OAuth grants), newest first; ended ones too.',
  role: 'viewer',
  query: z.strictObject({ organization_id: BuyerAsked.optional(), subject: Id.optional(), ...pageQuery }),
  answer: z.object({ grants: z.array(GrantFacts), ...pageView }),
  async handle({ query: { organization_id, subject, limit, cursor } }, { grants }) {
    const page = await grants.list({ organization_id, subject }, { limit, after: cursor });
    return { grants: page.rows, ...pageEnd(page.cursor) };
  },
});

const body = z.strictObject({
  /** For the record. */
  reason: Words,
});

/** Its code and refresh token at once, its access tokens within 3 s in every process. */
export const endGrant = operation({
  method: 'post',
  path: '/grants/:grant_id/end',
  summary: 'End an OAuth grant: its refresh token at once, its access tokens within 3 seconds.',
  role: 'admin',
  action: 'grants.end',
  done: () => 'The grant has ended.',
  params: z.strictObject({ grant_id: Id }),
  body,
  answer: GrantFacts,
  handle: ({ params: { grant_id } }, { grants }) => grants.end(grant_id),
});

/** For a password that leaked: all that was signed in with it is over. */
export const endAccount = operation({
  method: 'post',
  path: '/accounts/:subject/end',
  summary: "End all of a buyer's person: every OAuth grant and token, and every browser's sign-in.",
  role: 'admin',
  action: 'accounts.end',
  done: ({ grants_ended, sessions_ended }) => `Ended: ${grants_ended} grants and ${sessions_ended} sign-ins.`,
  decides: 'account.ended',
  params: z.strictObject({ subject: Id }),
  body,
  answer: z.object({ grants_ended: z.int(), sessions_ended: z.int() }),
  handle: ({ params: { subject } }, { grants }) => grants.endAll(subject),
});
