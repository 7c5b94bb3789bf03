import { z } from 'zod';
import { apiKeys } from '../../../directory/api-key/api-key.ts';
import { organizations } from '../../../directory/organization/organization.ts';
import type { Organization } from '../../../directory/organization/organization.ts';
import { organizationsNamed } from '../../../directory/organization/organizations-named.ts';
import { OrganizationId } from '../../../platform/organization-id.ts';
import { TaskRuns } from '../../../runtime/task-run.ts';
import { Approvals } from '../../../sales/approval/approval.ts';
import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { Deliveries } from '../../../webhooks/delivery/delivery.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { Destination } from '../../../webhooks/delivery/filter-fields.ts';

/** So many of a kind are told; who looks for more says more of the name. */
const MOST = 10;

const SearchHit = z.object({
  kind: z.enum(['media_buy', 'task', 'approval', 'delivery', 'organization', 'signing_key', 'destination', 'api_key']),
  id: z.string(),
  /** What people call it; absent: nothing but its id. */
  name: z.string().optional(),
  /** Whose it is, of an API key. */
  organization_id: z.string().optional(),
});
export type SearchHit = z.infer<typeof SearchHit>;

/**
 * Finds what has an id; only where nothing has, API keys by their last four characters, buys by their whole reference or PO number,
 * and organizations by how their name begins.
 */
export const search = operation({
  method: 'get',
  path: '/search',
  summary:
    'Find what has an id or URL, else API keys by their end, buys by reference or PO number, organizations by the beginning of their name.',
  role: 'viewer',
  query: z.strictObject({
    q: z.string().trim().min(1, 'must not be empty').max(512, 'must be at most 512 characters'),
  }),
  answer: z.object({
    /** Whether it was the very id, or URL. */
    is_exact: z.boolean(),
    found: z.array(SearchHit),
  }),
  async handle({ query: { q } }, deps) {
    const exact = await byId(deps, q);
    if (exact.length > 0) return { is_exact: true, found: exact };
    const [keys, buys, orders, named] = await Promise.all([
      byKeyHint(deps, q),
      byBuyerRef(deps, q),
      byPoNumber(deps, q),
      byName(deps, q),
    ]);
    return { is_exact: false, found: [...keys, ...buys, ...orders, ...named] };
  },
});

async function byId({ store, sales, webhooks }: OperatorDeps, q: string): Promise<SearchHit[]> {
  const asUrl = q.includes('://') ? Destination.safeParse(q).data : undefined;
  if (asUrl !== undefined) return [{ kind: 'destination', id: asUrl }];
  const [buy, task, approval, delivery, organization, keys] = await Promise.all([
    sales.mediaBuys.get(MediaBuyId.parse(q)),
    store.collection(TaskRuns).get(q),
    store.collection(Approvals).get(q),
    store.collection(Deliveries).get(q),
    store.collection(organizations).get(OrganizationId.parse(q)),
    webhooks.keys.list(),
  ]);
  const found: (SearchHit | undefined)[] = [
    buy && { kind: 'media_buy', id: buy.media_buy_id, name: buy.buyer_ref },
    task && { kind: 'task', id: task.task_id, name: task.task_type },
    approval && { kind: 'approval', id: approval.approval_id },
    delivery && { kind: 'delivery', id: delivery.delivery_id },
    organization && foundOrganization(organization),
    keys.some(({ kid }) => kid === q) ? { kind: 'signing_key', id: q } : undefined,
  ];
  return found.filter((one) => one !== undefined);
}

/** By the last four characters of an API key, as they are shown: with dots before them or without. */
async function byKeyHint({ store }: OperatorDeps, q: string): Promise<SearchHit[]> {
  const key_hint = /^(?:…|\.{3})?([\w-]{4})$/.exec(q)?.[1];
  if (key_hint === undefined) return [];
  const sort = { field: 'created_at', direction: 'desc' } as const;
  const { rows } = await store.collection(apiKeys).find({ where: { key_hint }, sort, limit: MOST });
  return rows.map(({ api_key_id, name, organization_id }) => ({
    kind: 'api_key',
    id: api_key_id,
    name,
    organization_id,
  }));
}

async function byBuyerRef({ sales }: OperatorDeps, buyer_ref: string): Promise<SearchHit[]> {
  const sort = { field: 'created_at', direction: 'desc' } as const;
  const { rows } = await sales.mediaBuys.find({ where: { buyer_ref }, sort, limit: MOST });
  return rows.map(({ media_buy_id }) => ({ kind: 'media_buy', id: media_buy_id, name: buyer_ref }));
}

async function byPoNumber({ sales }: OperatorDeps, po_number: string): Promise<SearchHit[]> {
  const sort = { field: 'created_at', direction: 'desc' } as const;
  const { rows } = await sales.mediaBuys.find({ where: { po_number }, sort, limit: MOST });
  return rows.map(({ media_buy_id }) => ({ kind: 'media_buy', id: media_buy_id, name: `PO ${po_number}` }));
}

/** By how it begins. */
async function byName({ store }: OperatorDeps, q: string): Promise<SearchHit[]> {
  return (await organizationsNamed(store, q, MOST)).map(foundOrganization).slice(0, MOST);
}

function foundOrganization({ organization_id, name }: Organization): SearchHit {
  return { kind: 'organization', id: organization_id, name };
}
