import { z } from 'zod';
import { apiKeys } from '../../../directory/api-key/api-key.ts';
import { membershipId, memberships } from '../../../directory/membership/membership.ts';
import type { Organization } from '../../../directory/organization/organization.ts';
import { toTimestamp } from '../../../platform/clock.ts';
import { eachAtOnce } from '../../../platform/each-at-once.ts';
import { DAY_MS } from '../../../platform/hours.ts';
import { startSlices } from '../../../platform/in-slices.ts';
import { formatMoney } from '../../../platform/money.ts';
import { TaskRuns } from '../../../runtime/task-run.ts';
import { committedByCurrency } from '../../../sales/credit/committed-by-currency.ts';
import type { OperatorDeps } from '../operation.ts';

/** What is more is not counted: a list of many must not cost more the more each has. */
export const COUNTED_OF_EACH = 100;

/** Money is summed of so many media buys of each. */
const MOST_SUMMED = 20;

/** So many buyers are looked at side by side. */
const AT_ONCE = 4;

const Counted = z.int().min(0).max(COUNTED_OF_EACH);

/** How a buyer does, in a list of many. Of counts, 100 stands for so many or more. */
export const BuyerFigures = z.object({
  people: Counted.describe('Who belongs to it; 100 stands for so many or more, here and in the other counts'),
  api_keys: Counted.describe('Those that are not revoked; expired ones are among them'),
  open_media_buys: Counted.describe('Those that are not over'),
  committed: z
    .array(z.object({ currency: z.string(), amount: z.number() }))
    .describe(`What these come to, changes on their way included, of the first ${MOST_SUMMED} by \`buyer_ref\``),
  is_all_committed: z.boolean().describe('Whether these are all; else it is more'),
  last_call_at: z
    .string()
    .nullable()
    .describe('When one of its keys was last used, to a minute, or its newest task was asked for; null: never'),
  last_24_hours: z
    .object({ rejected: Counted, failed: Counted })
    .describe('Its tasks asked for since then, by how they ended; those that only read are left out'),
});
export type BuyerFigures = z.infer<typeof BuyerFigures>;

/** A number of reads for each, by indexes, that does not grow with what there is. Others have their turn in between. */
export async function figuresOfBuyers(
  deps: Pick<OperatorDeps, 'store' | 'sales' | 'clock'>,
  buyers: readonly Organization[],
): Promise<Map<string, BuyerFigures>> {
  const figures = new Map<string, BuyerFigures>();
  const ownersElsewhere = await ownersWithoutMembership(deps, buyers);
  const slices = startSlices();
  await eachAtOnce(buyers, AT_ONCE, async ({ organization_id }) => {
    const owner = ownersElsewhere.has(organization_id) ? 1 : 0;
    figures.set(organization_id, await figuresOf(deps, organization_id, owner));
    if (slices.isOver()) await slices.next();
  });
  return figures;
}

async function figuresOf(
  { store, sales, clock }: Pick<OperatorDeps, 'store' | 'sales' | 'clock'>,
  organization_id: Organization['organization_id'],
  owners: number,
): Promise<BuyerFigures> {
  const most = COUNTED_OF_EACH;
  const created_at = { gte: toTimestamp(clock.now() - DAY_MS) };
  const ended = (state: 'rejected' | 'failed') =>
    store.collection(TaskRuns).count({ organization_id, is_read: null, state, created_at }, { most });
  const [members, keys, open, committed, last_call_at, rejected, failed] = await Promise.all([
    store.collection(memberships).count({ organization_id }, { most }),
    store.collection(apiKeys).count({ organization_id, revoked_at: null }, { most }),
    sales.mediaBuys.count({ organization_id, open: true }, { most }),
    committedByCurrency(sales.mediaBuys, organization_id, MOST_SUMMED),
    lastCallOf({ store }, organization_id),
    ended('rejected'),
    ended('failed'),
  ]);
  return {
    people: Math.min(most, members + owners),
    api_keys: keys,
    open_media_buys: open,
    committed: [...committed.amounts].map(([currency, minor]) => ({ currency, amount: formatMoney(minor, currency) })),
    ...{ is_all_committed: committed.isAll, last_call_at, last_24_hours: { rejected, failed } },
  };
}

/** By its keys; whoever is let in by a person leaves tasks alone. */
async function lastCallOf(
  { store }: Pick<OperatorDeps, 'store'>,
  organization_id: Organization['organization_id'],
): Promise<string | null> {
  const newest = { limit: 1, sort: { field: 'last_used_at', direction: 'desc' } } as const;
  const { rows } = await store.collection(apiKeys).find({ where: { organization_id }, ...newest });
  const used = rows[0]?.last_used_at ?? '';
  const asked = await Promise.all(
    ([null, true] as const).map((is_read) =>
      store.collection(TaskRuns).find({
        where: { organization_id, is_read, created_at: { gt: used } },
        ...{ sort: { field: 'created_at', direction: 'desc' }, limit: 1 },
      }),
    ),
  );
  const last = [used, ...asked.map((page) => page.rows[0]?.created_at ?? '')].sort().at(-1);
  return last === '' || last === undefined ? null : last;
}

/** An organization's first owner has no membership, and belongs to it. */
async function ownersWithoutMembership(
  { store }: Pick<OperatorDeps, 'store'>,
  buyers: readonly Organization[],
): Promise<Set<string>> {
  const owned = buyers.flatMap(({ organization_id, owner_id }) =>
    owner_id === null ? [] : [{ organization_id, id: membershipId(organization_id, owner_id) }],
  );
  const rows = await store.collection(memberships).getMany(
    owned.map(({ id }) => id),
    { skipUnreadable: true },
  );
  const held = new Set(rows.map(({ membership_id }) => membership_id));
  return new Set(owned.filter(({ id }) => !held.has(id)).map(({ organization_id }) => organization_id));
}
