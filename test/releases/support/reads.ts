import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { followLink } from '../../admin/support/follow-link.ts';
import { expect } from 'vitest';
import { ask, send, taskOf } from '../../journeys/support/buyer.ts';
import type { Json } from '../../journeys/support/buyer.ts';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { isSealedByFormer } from '../../../src/platform/crypto/sealed-values.ts';
import { allPages, allRows } from '../../../src/platform/store/all-rows.ts';
import type { CollectionSpec, Row } from '../../../src/platform/store/collection.ts';
import { operate } from '../../journeys/support/operator.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { everyBuy, listed, stateOf } from './calls.ts';
import type { OldAgent } from './old-agent.ts';

/**
 * Reads every row there is: none has a form that the present code cannot read. Comes before all other checks, which would
 * miss such a row and not say why.
 */
export async function expectNothingSetAside({ core, setAside }: OldAgent): Promise<void> {
  let read = 0;
  for (const spec of COLLECTIONS as readonly unknown[]) {
    const collection = core.store.collection(spec as CollectionSpec<Row>);
    for await (const rows of allPages(collection, { where: {} })) read += rows.length;
  }
  expect(setAside).toEqual([]);
  expect(read).toBeGreaterThan(500);
}

/** The secret of the embedded store is a file of its own, and nothing is sealed with the one that was in the store (rule S4). */
export async function expectSealedAnew({ core, promises }: OldAgent): Promise<void> {
  if (promises.store === 'mongodb') return;
  const dir = core.config.dataDir;
  const [, former = ''] = (await readFile(join(dir, 'secret'), 'utf8'))
    .split('\n')
    .filter((line) => !/^(#|$)/.test(line));
  for (const name of ['store.db', 'store.db-wal'])
    expect((await readFile(join(dir, name))).includes(former)).toBe(false);
  const sealed: string[] = [];
  for (const spec of COLLECTIONS as readonly unknown[]) {
    const { name } = spec as CollectionSpec<Row>;
    for await (const row of allRows(core.store.collection(spec as CollectionSpec<Row>), { where: {} }))
      if (isSealedByFormer(core.sealer, row)) sealed.push(name);
  }
  expect([former.length, sealed]).toEqual([43, []]);
}

/** Everything that was there is there, as it was. */
export async function expectAllRead(agent: OldAgent): Promise<void> {
  const { promises } = agent;
  const buys = await everyBuy(agent);
  const told = ({ media_buy_id, status, pending_reason }: Json) => [media_buy_id, status, pending_reason ?? null];
  const ours = promises.media_buys.filter(({ media_buy_id }) =>
    buys.some((one) => one['media_buy_id'] === media_buy_id),
  );
  expect(ours.length).toBeGreaterThan(50);
  expect(buys.map(told).sort()).toEqual(ours.map(told).sort());
  const { media_buy_id, delivery } = promises.completed;
  expect(await ask(agent, 'get_media_buy_delivery', { media_buy_id, granularity: 'daily' })).toEqual(delivery);
  for (const { task_id, state, task_type } of promises.tasks) {
    if (task_type === 'create_media_buy' && state !== 'submitted') expect(await stateOf(agent, task_id)).toBe(state);
  }
  const own_tasks = promises.tasks.flatMap(({ task_id, task_type }) =>
    task_type === 'create_media_buy' ? task_id : [],
  );
  expect(await idsOfTasks(agent)).toEqual(expect.arrayContaining(own_tasks));
  const { creatives } = await ask(agent, 'list_creatives', { limit: 100 });
  const statuses = (rows: { creative_id?: unknown; status?: unknown }[]) =>
    rows.map(({ creative_id, status }) => `${String(creative_id)} ${String(status)}`).sort();
  const own = promises.creatives.filter(({ status }) => status !== 'archived');
  expect(statuses(creatives as Json[])).toEqual(statuses(own));
}

/** Those that `list_tasks` shows unasked. */
async function idsOfTasks(agent: OldAgent): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (let page: Json = { has_more: true }; page['has_more'] === true;) {
    page = await ask(agent, 'list_tasks', { limit: 100, cursor: page['cursor'] });
    ids.push(...(page['tasks'] as Json[]).map(({ task_id }) => task_id));
  }
  return ids;
}

/** Buyers find the revisions that they knew, which counted every write until then. */
export async function expectRevisionsKept({ core: { sales }, promises }: OldAgent): Promise<void> {
  let read = 0;
  for await (const { revision, row_version, updated_at } of allRows(sales.mediaBuys, { where: {} })) {
    expect(row_version).toBe(revision + 1);
    expect(updated_at <= promises.killed_at).toBe(true);
    read += 1;
  }
  expect(read).toBeGreaterThan(50);
}

/** The operator sees what the release had left. The key that it made lay in the embedded store beside what sealed it: there another is the key. */
export async function expectOperatorReads(agent: OldAgent): Promise<void> {
  const { promises } = agent;
  const key = { authorization: `Bearer ${promises.operator_key}` };
  const status = promises.store === 'mongodb' ? 200 : 401;
  expect((await operate(agent, 'GET', '/keys', undefined, key)).status).toBe(status);
  const approvals = await listed(agent, '/approvals?status=all', 'approvals');
  const facts = (rows: Json[]) => rows.map(({ approval_id, status }) => [approval_id, status]).sort();
  expect(facts(approvals)).toEqual(facts(promises.approval_rows));
  for (const state of ['pending', 'delivered', 'rejected', 'gone', 'exhausted'] as const) {
    const wanted = promises.deliveries.filter((one) => one.state === state);
    expect(wanted).not.toEqual([]);
    const found = await listed(agent, `/webhooks/deliveries?state=${state}`, 'deliveries');
    expect(found.map((one) => one['delivery_id']).sort()).toEqual(wanted.map((one) => one.delivery_id).sort());
  }
  const { body } = await operate(agent, 'GET', '/webhooks/destinations');
  expect(body['destinations']).toContainEqual(expect.objectContaining({ is_paused: true }));
  const revoked = promises.keys.filter(({ part }) => part === 'revoked').map(({ kid }) => kid);
  const keys = (await operate(agent, 'GET', '/keys')).body['keys'] as Json[];
  expect(keys.filter((one) => one['part'] === 'revoked').map((one) => one['kid'])).toEqual(revoked);
  expect((await listed(agent, '/actions', 'actions')).length).toBeGreaterThanOrEqual(10);
  const property = await operate(agent, 'GET', `/properties/${promises.outage}`);
  expect(property.body).toMatchObject({ status: 'out_of_service', reason: 'a flood' });
}

/** What people and programs held opens what it opened. */
export async function expectCredentialsHold(agent: OldAgent): Promise<void> {
  const { baseUrl, promises } = agent;
  const { accounts, console_cookie, idempotent, sign_in_url } = promises;
  const queues = await fetch(`${baseUrl}/admin/queues`, { headers: { cookie: console_cookie } });
  expect(queues.status).toBe(200);
  expect([(await followLink(sign_in_url)).status, (await followLink(sign_in_url)).status]).toEqual([303, 401]);
  const again = await send(agent, 'create_media_buy', idempotent.input);
  expect(taskOf(again).id).toBe(idempotent.task_id);
  const company: TestAgent = { ...agent, apiKey: accounts.company_key.key };
  expect(await ask(company, 'get_products', { brief: 'podcasts' })).toHaveProperty('products');
  const form = {
    grant_type: 'refresh_token',
    client_id: accounts.client_id,
    refresh_token: accounts.ada.refresh_token,
  };
  const tokens = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  expect(tokens.status).toBe(200);
  const ada: TestAgent = { ...agent, apiKey: String(((await tokens.json()) as Json)['access_token']) };
  expect(await ask(ada, 'get_products', { brief: 'podcasts' })).toHaveProperty('products');
  expect((await fetch(accounts.checkout_url)).status).toBe(200);
  expect((await fetch(`${baseUrl}/api/properties/check/${accounts.report_id}`)).status).toBe(200);
  const told = await feedOf(baseUrl);
  expect(told).toHaveLength(promises.collections['feed_events'] ?? 0);
  for (const { type, publisher } of told) {
    expect(await feedOf(baseUrl, `&types=${type}`)).toEqual(told.filter((event) => event.type === type));
    if (publisher === null) continue;
    const about = told.filter((event) => event.publisher === publisher);
    expect(await feedOf(baseUrl, `&publisher=${publisher}`)).toEqual(about);
  }
  expect(told.some(({ publisher }) => publisher !== null)).toBe(true);
}

async function feedOf(baseUrl: string, filter = ''): Promise<{ type: string; publisher: string | null }[]> {
  const page = await fetch(`${baseUrl}/api/registry/feed?limit=1000${filter}`);
  return ((await page.json()) as { events: { type: string; publisher: string | null }[] }).events;
}
