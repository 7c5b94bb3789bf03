import { z } from 'zod';
import { ApiKey, apiKeys, createApiKeyOnce, revokeApiKey } from '../../../directory/api-key/api-key.ts';
import { AskedExpiry, expiryOf } from '../../../directory/api-key/expiry.ts';
import { OverlapDays, rerollApiKey } from '../../../directory/api-key/reroll.ts';
import { SCOPES } from '../../../directory/caller.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { Id, IdOfOrganization, Name, pageQuery, Words } from '../fields.ts';
import { clickOf, operation } from '../operation.ts';
import { BuyerParams, knownBuyer } from './operations.ts';

/** A buyer's key, never the key itself. */
export const BuyerKeyView = z
  .object(ApiKey.shape)
  .omit({ key_hash: true, client_id: true, planned_expires_at: true, revision: true });
export type BuyerKeyView = z.infer<typeof BuyerKeyView>;

export const listBuyerKeys = operation({
  method: 'get',
  path: '/buyers/:organization_id/keys',
  summary: "List an organization's API keys, newest first, with when they were last used; revoked ones too.",
  role: 'viewer',
  params: BuyerParams,
  query: z.strictObject({ ...pageQuery }),
  answer: z.object({ api_keys: z.array(BuyerKeyView), ...pageView }),
  async handle({ params: { organization_id }, query: { limit, cursor } }, { store }) {
    await knownBuyer(store, organization_id);
    const page = await store.collection(apiKeys).find({
      where: { organization_id },
      sort: { field: 'created_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { api_keys: page.rows, ...pageEnd(page.cursor) };
  },
});

/** The key is shown here and never again. */
export const addBuyerKey = operation({
  method: 'post',
  path: '/buyers/:organization_id/keys/add',
  summary: 'Make an API key for an organization; it is shown once.',
  role: 'admin',
  action: 'buyers.add_key',
  done: ({ name }) => `The key ${name} is made.`,
  asksFreshSignIn: true,
  hasSecret: true,
  params: BuyerParams,
  body: z.strictObject({
    name: Name,
    /** Default: every scope. With commas between, or as a list. */
    scopes: z
      .preprocess(
        (given) => (typeof given === 'string' ? given.split(',').map((scope) => scope.trim()) : given),
        z.array(z.enum(SCOPES)).min(1, 'must name at least one scope'),
      )
      .optional(),
    /** Default: it does not end by itself. */
    expires_at: AskedExpiry.optional(),
  }),
  answer: BuyerKeyView.extend({ key: z.string() }),
  async handle({ params: { organization_id }, body: { name, scopes, expires_at } }, call) {
    await knownBuyer(call.store, organization_id);
    const deps = { ...call, keys: call.store.collection(apiKeys) };
    const end = expires_at && expiryOf(expires_at, call.clock.now());
    const given = { organization_id, name, expires_at: end, ...(scopes !== undefined && { scopes }) };
    const { raw, key } = await createApiKeyOnce(deps, clickOf(call), given);
    return { ...key, key: raw };
  },
});

const BuyerKeyParams = z.strictObject({ organization_id: IdOfOrganization, api_key_id: Id });

/** The new key is shown here and never again. */
export const rerollBuyerKey = operation({
  method: 'post',
  path: '/buyers/:organization_id/keys/:api_key_id/reroll',
  summary: "Make an organization's API key anew, shown once; the former one ends when the overlap is over.",
  role: 'admin',
  action: 'buyers.reroll_key',
  done: ({ name }) => `The key ${name} is made anew.`,
  asksFreshSignIn: true,
  hasSecret: true,
  params: BuyerKeyParams,
  body: z.strictObject({
    /** For how long both are good: 0 to 30 days. */
    overlap_days: OverlapDays,
    /** Default: when the former one would have ended. */
    expires_at: AskedExpiry.optional(),
  }),
  answer: BuyerKeyView.extend({
    key: z.string(),
    /** The key that it was made from, with its end. */
    former: BuyerKeyView,
  }),
  async handle({ params, body: { overlap_days, expires_at } }, call) {
    const deps = { ...call, keys: call.store.collection(apiKeys) };
    const end = expires_at && expiryOf(expires_at, call.clock.now());
    const { raw, key, former } = await rerollApiKey(deps, clickOf(call), { ...params, overlap_days, expires_at: end });
    return { ...key, key: raw, former };
  },
});

/** Every process knows within the 3 s that a good key is believed. */
export const revokeBuyerKey = operation({
  method: 'post',
  path: '/buyers/:organization_id/keys/:api_key_id/revoke',
  summary: "Revoke an organization's API key for good; within 3 seconds it opens nothing anywhere.",
  role: 'admin',
  action: 'buyers.revoke_key',
  done: ({ name }) => `The key ${name} is revoked.`,
  asksFreshSignIn: true,
  params: BuyerKeyParams,
  body: z.strictObject({
    /** For the record. */
    reason: Words,
  }),
  answer: BuyerKeyView,
  handle: ({ params: { organization_id, api_key_id } }, { store, clock, security }) =>
    revokeApiKey({ keys: store.collection(apiKeys), clock, security }, organization_id, api_key_id),
});
