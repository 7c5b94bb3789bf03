import { z } from 'zod';
import { MembershipRole } from '../../../directory/membership/membership.ts';
import { membersOf } from '../../../directory/membership/members-of.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import { BuyerParams, knownBuyer } from './operations.ts';

/** Somebody who belongs to a buyer. */
export const BuyerPersonView = z.object({
  user_id: z.string(),
  /** Null: nobody said. */
  email: z.string().nullable(),
  role: MembershipRole,
  since: z.string(),
});
export type BuyerPersonView = z.infer<typeof BuyerPersonView>;

export const listBuyerPeople = operation({
  method: 'get',
  path: '/buyers/:organization_id/people',
  summary: 'List who belongs to an organization and what they are there, the oldest membership first.',
  role: 'viewer',
  params: BuyerParams,
  query: z.strictObject({ ...pageQuery }),
  answer: z.object({ people: z.array(BuyerPersonView), ...pageView }),
  async handle({ params: { organization_id }, query: { limit, cursor } }, { store }) {
    const organization = await knownBuyer(store, organization_id);
    const page = await membersOf(store, organization, { limit, after: cursor });
    return { people: page.members, ...pageEnd(page.cursor) };
  },
});
