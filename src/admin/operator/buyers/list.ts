import { z } from 'zod';
import { holderOfDomain } from '../../../directory/organization/organization-domain.ts';
import { organizations } from '../../../directory/organization/organization.ts';
import type { Organization } from '../../../directory/organization/organization.ts';
import type { Page, Store } from '../../../platform/store/collection.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import { KeptDomain, spellingKept } from '../registry/domains.ts';
import { BuyerFigures, figuresOfBuyers } from './figures.ts';
import { BuyerView, viewOfBuyer } from './operations.ts';

/** An organization in a list, with how it does. */
export const ListedBuyerView = BuyerView.extend(BuyerFigures.shape);
export type ListedBuyerView = z.infer<typeof ListedBuyerView>;

/** In which states organizations are listed. */
export const BUYER_STATES = ['active', 'suspended', 'prospect'] as const;
type BuyerState = (typeof BUYER_STATES)[number];

/** Organizations, newest first. */
export const listBuyers = operation({
  method: 'get',
  path: '/buyers',
  summary:
    'List organizations, newest first: in one state, or who has a domain; with people, keys, what they buy, and their last call.',
  role: 'viewer',
  query: z.strictObject({
    /** Default: active; with a domain: any. */
    state: z.enum(BUYER_STATES).optional(),
    /** A whole one, that it has proved or that is on record of it: at most one organization has it. */
    domain: KeptDomain.optional(),
    ...pageQuery,
  }),
  answer: z.object({ buyers: z.array(ListedBuyerView), ...pageView }),
  async handle({ query: { state, domain, limit, cursor } }, deps) {
    const page =
      domain === undefined
        ? await inState(deps.store, state ?? 'active', { limit, cursor })
        : { rows: await withDomain(deps.store, domain, state) };
    const figures = await figuresOfBuyers(deps, page.rows);
    const buyers = page.rows.flatMap((row) => {
      const its = figures.get(row.organization_id);
      return its === undefined ? [] : [{ ...viewOfBuyer(row), ...its }];
    });
    return { buyers, ...pageEnd(page.cursor) };
  },
});

function inState(
  store: Store,
  state: BuyerState,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<Organization>> {
  return store.collection(organizations).find({
    ...(state === 'suspended'
      ? { where: { suspended_at: { gt: '' } }, sort: { field: 'suspended_at', direction: 'desc' } }
      : { where: { state }, sort: { field: 'created_at', direction: 'desc' } }),
    limit,
    ...(cursor !== undefined && { after: cursor }),
  });
}

async function withDomain(store: Store, domain: string, state: BuyerState | undefined): Promise<Organization[]> {
  const holder = await holderOfDomain(store, await spellingKept(store, domain));
  if (holder === undefined) return [];
  const isSuspended = typeof holder.suspended_at === 'string';
  const isMeant = state === undefined || (state === 'suspended' ? isSuspended : holder.state === state);
  return isMeant ? [holder] : [];
}
