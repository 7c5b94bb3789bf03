import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { creativeKey } from '../../src/sales/creative/creative.ts';
import { creativeRef } from '../../src/sales/creative/creative-ref.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { ask as askOurs } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { actingAs, operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const ORGANIZATION = organizationId('org_demo_buyer');
const [A, B] = [accountOf('acme.example'), accountOf('other.example')];

describeOnStores('[D4.creatives] creatives of accounts on %s', (store) => {
  let at: TestAgent;
  let line: Json;
  let sample: Json;
  /** New for each test. */
  let id: string;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '86400' } });
    line = await packageForSale(at);
    const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    sample = example.creatives[0] ?? {};
  });
  beforeEach(() => {
    id = `c-${randomUUID()}`;
  });
  afterAll(() => at.stop());

  async function ask(skill: string, parameters: Json, release: Release = '3.1'): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
    expect(schemaErrors(skill, release, body)).toEqual([]);
    return body;
  }
  async function sync(account: Json, name: string, more: Json = {}, release: Release = '3.1'): Promise<Json[]> {
    const creatives = [{ ...sample, creative_id: id, name }];
    const asked = { account, idempotency_key: randomUUID(), creatives, ...more };
    return (await ask('sync_creatives', asked, release))['creatives'] as Json[];
  }
  const syncOurs = (name: string, more: Json = {}) =>
    askOurs(at, 'sync_creatives', { creatives: [{ ...sample, creative_id: id, name }], ...more });
  const listed = async (account: Json | undefined, more: Json = {}, release: Release = '3.1'): Promise<Json[]> => {
    const asked = { filters: { creative_ids: [id] }, ...more, ...(account && { account }) };
    return (await ask('list_creatives', asked, release))['creatives'] as Json[];
  };
  const named = async (account: Json | undefined) => (await listed(account)).map(({ name }) => name);
  const bought = (account: Json, creative_id = id) =>
    ask('create_media_buy', orderOf({ ...line, creative_assignments: [{ creative_id }] }, { account }));
  const idOf = async (account: Json): Promise<string> => {
    const { accounts } = await ask('sync_accounts', {
      ...{ idempotency_key: randomUUID(), accounts: [{ ...account, billing: 'operator' }] },
    });
    return String((accounts as Json[])[0]?.['account_id']);
  };
  const refsOf = async ({ media_buy_id }: Json) =>
    (await at.core.sales.mediaBuys.get(MediaBuyId.parse(media_buy_id)))?.packages.flatMap((one) => one.creative_ids);
  const rowOf = (account_id: string | undefined) =>
    at.core.sales.creatives.get(creativeKey(ORGANIZATION, creativeRef({ account_id, creative_id: id })));

  it.each(['3.0', '3.1'] as const)('are listed by the accounts that own them, in %s', async (release) => {
    await syncOurs('shared');
    await sync(A, 'of A');
    await sync(B, 'of B');
    const [a, b] = [await idOf(A), await idOf(B)];
    const owned = async (accounts: Json[], account?: Json) => {
      const rows = await listed(account, { filters: { creative_ids: [id], accounts } }, release);
      return rows.map(({ name }) => name).sort();
    };
    expect(await owned([A])).toEqual(['of A']);
    expect(await owned([{ account_id: a }, { account_id: b }])).toEqual(['of A', 'of B']);
    expect(await owned([A, B], A)).toEqual(['of A']);
    expect(await owned([B], A)).toEqual([]);
    expect(await owned([{ account_id: 'acc_of_nobody' }, accountOf('unknown.example')])).toEqual([]);
    const all = await ask('list_creatives', { filters: { creative_ids: [id], accounts: [A, B] } }, release);
    expect(all['query_summary']).toMatchObject({ total_matching: 2, returned: 2 });
  });

  it.each(['3.0', '3.1'] as const)('two accounts have a creative each under one id, told in %s', async (release) => {
    expect(await sync(A, 'of A', {}, release)).toMatchObject([{ action: 'created' }]);
    expect(await sync(B, 'of B', {}, release)).toMatchObject([{ action: 'created' }]);
    expect(await sync(A, 'of A again', {}, release)).toMatchObject([{ action: 'updated', changes: ['name'] }]);
    expect(await listed(A, {}, release)).toMatchObject([
      {
        creative_id: id,
        name: 'of A again',
        account: { account_id: await idOf(A), brand: { domain: 'acme.example' } },
      },
    ]);
    expect(await listed(B, {}, release)).toMatchObject([{ name: 'of B', account: { account_id: await idOf(B) } }]);
    expect((await listed(undefined, {}, release)).map(({ name }) => name)).toEqual(['of B', 'of A again']);
    expect(await askOurs(at, 'list_creatives', { filters: { creative_ids: [id] } }).catch(String)).toContain(
      'no creative of yours has the id',
    );
    const [mine, others] = [await rowOf(await idOf(A)), await rowOf(await idOf(B))];
    const byBuyer = (row: typeof mine) => row?.history.filter(({ actor }) => actor === 'buyer').length;
    expect([byBuyer(mine), byBuyer(others)]).toEqual([2, 1]);
    expect(others?.account_id).toBe(await idOf(B));
  });

  it('an account sees its own before that which all share, and others see that', async () => {
    await syncOurs('shared');
    expect([await named(A), await named(B)]).toEqual([['shared'], ['shared']]);
    expect((await listed(A))[0]).not.toHaveProperty('account');
    await sync(A, 'of A');
    expect([await named(A), await named(B)]).toEqual([['of A'], ['shared']]);
    const pages = await ask('list_creatives', { account: A, pagination: { max_results: 100 } });
    expect((pages['creatives'] as Json[]).filter(({ creative_id }) => creative_id === id)).toHaveLength(1);
    const { total_matching, returned } = pages['query_summary'] as Json;
    expect(total_matching).toBe(returned);
    const first = await ask('list_creatives', { account: A, pagination: { max_results: 1 } });
    expect(first['query_summary']).toMatchObject({ total_matching, returned: 1 });
    const ours = await askOurs(at, 'list_creatives', { filters: { creative_ids: [id] }, all_libraries: true });
    expect(ours['creatives']).toMatchObject([{ name: 'of A', account_id: await idOf(A) }, { name: 'shared' }]);
    expect(await syncOurs('shared')).toMatchObject({ creatives: [{ action: 'unchanged' }] });
  });

  it("a media buy cannot have another account's creative, and says so as of an id of nobody's", async () => {
    await sync(B, 'of B');
    const theirs = await bought(A);
    const nobodys = await bought(A, 'nobodys');
    expect(theirs).toMatchObject({ status: 'failed', adcp_error: { code: 'CREATIVE_NOT_FOUND' } });
    const told = (body: Json, name: string) => JSON.stringify(body['errors']).replaceAll(name, 'ID');
    expect(told(theirs, id)).toBe(told(nobodys, 'nobodys'));
    const made = await bought(B);
    expect(await refsOf(made)).toEqual([`${await idOf(B)}/${id}`]);
    const [{ package_id }] = made['packages'] as [Json];
    const refused = await ask('sync_creatives', {
      ...{ account: A, idempotency_key: randomUUID(), creatives: [{ ...sample, creative_id: id }] },
      assignments: [{ creative_id: id, package_id }],
    });
    expect(refused).toMatchObject({ status: 'failed', adcp_error: { code: 'PACKAGE_NOT_FOUND' } });
    expect(await rowOf(await idOf(A))).toBeUndefined();
    expect(await listed(B)).toMatchObject([{ assignments: { assigned_packages: [{ package_id }] } }]);
    const { media_buys } = await ask('get_media_buys', { account: B, media_buy_ids: [made['media_buy_id']] });
    expect(media_buys).toMatchObject([{ packages: [{ creative_assignments: [{ creative_id: id }] }] }]);
  });

  it.each(RELEASES)(
    "each package is told in %s how its own creative stands, and not another's of the same id",
    async (release) => {
      await syncOurs('shared');
      await sync(A, 'of A');
      const [own, shared] = [await bought(A), await bought(B)];
      expect(await refsOf(own)).toEqual([`${await idOf(A)}/${id}`]);
      expect(await refsOf(shared)).toEqual([id]);
      const path = `/creatives/${ORGANIZATION}/${id}/approve`;
      expect((await operate(at, 'POST', path, {}, await actingAs(at, 'ann'))).status).toBe(200);
      const approvals = async (...buys: Json[]) => {
        const asked = { media_buy_ids: buys.map(({ media_buy_id }) => media_buy_id) };
        const { media_buys } = await ask('get_media_buys', asked, release);
        const rows = media_buys as { media_buy_id: string; packages: Json[] }[];
        return Object.fromEntries(rows.map(({ media_buy_id, packages: [line] }) => [media_buy_id, line]));
      };
      const told = (approval_status: string) => ({ creative_approvals: [{ creative_id: id, approval_status }] });
      const [a, b] = [String(own['media_buy_id']), String(shared['media_buy_id'])];
      expect(await approvals(own)).toMatchObject({ [a]: told('pending_review') });
      expect(await approvals(own, shared)).toMatchObject({ [a]: told('pending_review'), [b]: told('approved') });
    },
  );

  it("a media buy keeps the creative that it named, until its account's own is named anew", async () => {
    // As a former release has stored it: of no account.
    const { account_id: _none, ...former } = sampleCreative({
      ...{ organization_id: ORGANIZATION, creative_id: id, status: 'pending_review' },
    });
    await at.core.sales.creatives.insert({
      ...{ ...former, name: 'former', creative_key: `${ORGANIZATION}/${id}` },
      format_id: sample['format_id'] as typeof former.format_id,
    });
    expect([await named(A), await named(undefined)]).toEqual([['former'], ['former']]);
    const made = await bought(A);
    expect(await refsOf(made)).toEqual([id]);
    expect(await sync(A, 'of A')).toMatchObject([{ action: 'created' }]);
    expect(await refsOf(made)).toEqual([id]);
    const media_buy_ids = [made['media_buy_id']];
    expect(await listed(A, { filters: { media_buy_ids } })).toMatchObject([{ name: 'former' }]);
    const [{ package_id }] = made['packages'] as [Json];
    const change = { account: A, idempotency_key: randomUUID(), media_buy_id: made['media_buy_id'] };
    await ask('update_media_buy', {
      ...change,
      packages: [{ package_id, creative_assignments: [{ creative_id: id }] }],
    });
    const own = [`${await idOf(A)}/${id}`];
    expect(await refsOf(made)).toEqual(own);
    // Who names it under no account tells again what is there.
    const updates = { packages: [{ package_id, creative_ids: [id], budget: 21_000 }] };
    await askOurs(at, 'update_media_buy', { media_buy_id: made['media_buy_id'], updates });
    expect(await refsOf(made)).toEqual(own);
    expect(await listed(A, { filters: { media_buy_ids } })).toMatchObject([{ name: 'of A' }]);
  });

  it('what is left out of a sync is archived of that account alone', async () => {
    const left = id;
    await syncOurs('shared');
    await sync(A, 'of A');
    await sync(B, 'of B');
    id = `${id}-kept`;
    const [kept, ...gone] = await sync(A, 'kept', { delete_missing: true });
    expect(kept).toMatchObject({ creative_id: id, action: 'created' });
    expect(gone).toContainEqual(expect.objectContaining({ creative_id: left, action: 'deleted' }));
    id = left;
    expect((await rowOf(await idOf(A)))?.status).toBe('archived');
    expect((await rowOf(await idOf(B)))?.status).not.toBe('archived');
    expect((await rowOf(undefined))?.status).not.toBe('archived');
  });

  it('people at the seller see whose it is, and decide on that one', async () => {
    await sync(A, 'of A');
    await sync(B, 'of B');
    const [mine, others] = [await idOf(A), await idOf(B)];
    const { body } = await operate(at, 'GET', `/creatives?organization_id=${ORGANIZATION}&limit=100`);
    const rows = (body['creatives'] as Json[]).filter(({ creative_id }) => creative_id === id);
    expect(rows).toMatchObject([
      { account_id: mine, creative_ref: `${mine}/${id}` },
      { account_id: others, creative_ref: `${others}/${id}` },
    ]);
    const path = `/creatives/${ORGANIZATION}/${encodeURIComponent(`${others}/${id}`)}`;
    const approved = await operate(at, 'POST', `${path}/approve`, {}, await actingAs(at, 'ann'));
    expect(approved).toMatchObject({ status: 200, body: { account_id: others, status: 'approved' } });
    expect((await operate(at, 'GET', path)).body).toMatchObject({ account_id: others, name: 'of B' });
    expect((await rowOf(mine))?.status).not.toBe('approved');
    const none = await operate(at, 'POST', `/creatives/${ORGANIZATION}/${id}/approve`, {}, await actingAs(at, 'ann'));
    expect(none).toMatchObject({ status: 404, body: { error: { code: 'CREATIVE_NOT_FOUND', field: 'creative_id' } } });
  });

  it("an id that reads as an account's own creative is refused", async () => {
    id = `${await idOf(A)}/c`;
    expect(await syncOurs('odd', { validation_mode: 'strict' }).catch(String)).toContain(
      'must not begin with the id of an account',
    );
    expect(await rowOf(undefined)).toBeUndefined();
  });
});
