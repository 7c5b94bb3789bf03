import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TaskId } from '../../src/platform/task-id.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { transitionBuy } from '../../src/sales/media-buy/transitions.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { createGate } from '../runtime/support/gate.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { BUYER } from '../tasks/support/calls.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

const ACCOUNT = accountOf('acme.example');
const OTHER_ACCOUNT = accountOf('other.example');

interface Told extends Json {
  media_buy_id: string;
  revision: number;
  packages: { package_id: string }[];
}

describeOnStores('[B6] [B11] creatives of media buys on %s', (store) => {
  let at: TestAgent;
  let sample: Json;
  let line: Json;
  /** New for each test: a buy of two packages, the first of which names `old`. */
  let buy: Told;
  let first: string;
  let second: string;
  const [old, next, other] = ['old', 'next', 'other'] as const;

  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '86400', APPROVAL_OVER: 'USD:50000' } });
    line = await packageForSale(at);
    const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    sample = example.creatives[0] ?? {};
    await sync({ creatives: [old, next, other].map((creative_id) => ({ ...sample, creative_id })) });
  });
  beforeEach(async () => {
    const packages = [{ ...line, creative_assignments: [{ creative_id: old }] }, line];
    buy = (await ask('create_media_buy', orderOf(line, { packages }))) as Told;
    [first = '', second = ''] = buy.packages.map(({ package_id }) => package_id);
  });
  afterAll(() => at.stop());

  async function ask(skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: '3.2', ...parameters }));
    expect(schemaErrors(skill, '3.2', body)).toEqual([]);
    return body;
  }
  const keyed = (more: Json) => ({ account: ACCOUNT, idempotency_key: randomUUID(), ...more });
  const sync = (more: Json) => ask('sync_creatives', keyed(more));
  const operations = (...assignment_operations: Json[]) => sync({ assignment_operations });
  const change = (more: Json) => ask('update_media_buy', keyed({ media_buy_id: buy.media_buy_id, ...more }));
  const assign = (creative_id: string, package_id = first) => ({ operation: 'assign', creative_id, package_id });
  const unassign = (creative_id: string, package_id = first) => ({ operation: 'unassign', creative_id, package_id });
  const replace = (replaces_creative_id: string, creative_id: string) => ({
    ...{ operation: 'replace', creative_id, replaces_creative_id, package_id: first },
  });
  /** A creative that nobody has seen yet, with its id. */
  function brand(): { creative_id: string } {
    return { ...sample, creative_id: `brought-${randomUUID()}` };
  }
  const bringing = (creative: Json, more: Json = {}) => ({
    packages: [{ package_id: first, creatives: [creative], ...more }],
  });
  async function inStore() {
    const stored = await at.core.sales.mediaBuys.get(MediaBuyId.parse(buy.media_buy_id));
    if (stored === undefined) throw new Error('the buy is gone');
    return stored;
  }
  /** The ids that each package names. */
  async function named(): Promise<string[][]> {
    return (await inStore()).packages.map(({ creative_ids }) => creative_ids.map((ref) => ref.replace(/^.*\//, '')));
  }
  async function isKept({ creative_id }: { creative_id: string }): Promise<boolean> {
    const { creatives } = await ask('list_creatives', { account: ACCOUNT, filters: { creative_ids: [creative_id] } });
    return (creatives as unknown[]).length > 0;
  }
  /** Holds up what the ad server is told of the buy, meanwhile does something, and lets it go on. */
  async function whileTold(told: Promise<Json>[], begin: () => Promise<Json>, meanwhile: () => Promise<void>) {
    const gate = createGate();
    const { adServer } = at.core.sales;
    const put = adServer.put.bind(adServer);
    adServer.put = async (order) => {
      if (order.media_buy_id === buy.media_buy_id) await gate.pass();
      return put(order);
    };
    try {
      told.push(begin());
      await gate.reached;
      await meanwhile();
    } finally {
      gate.open();
      adServer.put = put;
    }
    await Promise.all(told);
  }

  describe('while a change of the buy is on its way to the ad server', () => {
    it('are taken into that change: what comes later stays, and what goes later is gone', async () => {
      const list = [old, next].map((creative_id) => ({ creative_id }));
      const packages = [{ package_id: first, budget: 21_000, creative_assignments: list }];
      await whileTold(
        [],
        () => change({ packages }),
        async () => {
          expect(await operations(unassign(next), assign(other))).not.toHaveProperty('adcp_error');
        },
      );
      await until(async () => (await inStore()).packages[0]?.budget_minor === 2_100_000);
      expect(await named()).toEqual([[old, other], []]);
    });

    it('are assigned again though that change takes them out, and replaced though it brings them', async () => {
      const packages = [{ package_id: first, budget: 21_000, creative_assignments: [{ creative_id: next }] }];
      await whileTold(
        [],
        () => change({ packages }),
        async () => {
          const { creatives } = await operations(assign(old), replace(next, other));
          expect(creatives).toMatchObject([{ assigned_to: [first] }, { assigned_to: [first] }]);
        },
      );
      await until(async () => (await inStore()).packages[0]?.budget_minor === 2_100_000);
      expect(new Set((await named())[0])).toEqual(new Set([old, other]));
    });

    it('come with another change, which waits for it, or is refused by the revision that was seen; none is kept before', async () => {
      const [waits, stale] = [brand(), brand()];
      const told: Promise<Json>[] = [];
      const { revision } = await inStore();
      await whileTold(
        told,
        () => change({ packages: [{ package_id: first, budget: 21_000 }] }),
        async () => {
          expect(await change({ revision, ...bringing(stale) })).toMatchObject({
            adcp_error: { code: 'CONFLICT', field: 'revision' },
          });
          told.push(change(bringing(waits)));
          await until(async () => {
            const { runs } = await at.core.runtime.list(BUYER, { states: ['working'] }, 5);
            return runs.some(({ waits_for }) => waits_for !== undefined);
          });
          expect(await isKept(waits)).toBe(false);
        },
      );
      await until(() => isKept(waits));
      expect(await named()).toEqual([[old, waits.creative_id], []]);
      expect(await isKept(stale)).toBe(false);
    });
  });

  /** Everything that brings, names or moves creatives, refused alike, by the field it is of; nothing is changed. */
  async function expectRefused(code: string, fields: { operations: string; update: string; control: string }) {
    const before = await inStore();
    const { revision } = before;
    const creative = brand();
    const refusals = {
      operations: await operations(assign(next), unassign(old)),
      update: await change(bringing(creative, { creative_assignments: [{ creative_id: next }] })),
      control: await ask('control_media_buy', keyed({ media_buy_id: buy.media_buy_id, revision, paused: true })),
    };
    expect(refusals).toMatchObject({
      operations: { adcp_error: { code, field: fields.operations } },
      update: { adcp_error: { code, field: fields.update } },
      control: { adcp_error: { code, field: fields.control } },
    });
    expect((await inStore()).row_version).toBe(before.row_version);
    expect(await at.core.sales.creatives.count(whereNamed(creative))).toBe(0);
  }
  const whereNamed = ({ creative_id }: { creative_id: string }) => ({
    ...{ organization_id: organizationId('org_demo_buyer'), creative_id },
  });

  describe('while a person has to decide', () => {
    async function ofApproval(body: Json): Promise<string> {
      const { rows } = await at.core.approvals.list({}, { limit: 100 });
      const found = rows.find(({ task_id }) => task_id === body['task_id']);
      if (found === undefined) throw new Error(`nobody is asked: ${JSON.stringify(body)}`);
      return found.approval_id;
    }

    it.each(['approved', 'rejected'] as const)('of a change that brings some, which is %s', async (outcome) => {
      const creative = brand();
      const body = await change(bringing(creative, { budget: 70_000 }));
      const approval = await ofApproval(body);
      expect(await isKept(creative)).toBe(false);
      expect(await operations(assign(next))).not.toHaveProperty('adcp_error');
      expect(await named()).toEqual([[old, next], []]);
      if (outcome === 'approved') await at.core.approvals.approve(approval, { by: 'Ada' });
      else await at.core.approvals.reject(approval, { by: 'Ada', reason: 'no room' });
      const isOver = async () =>
        /completed|failed/.test((await at.core.runtime.read(BUYER, TaskId.parse(body['task_id']))).state);
      const wanted = outcome === 'approved' ? [old, next, creative.creative_id] : [old, next];
      await until(async () => (await isOver()) && (await named())[0]?.length === wanted.length);
      await until(async () => (await isKept(creative)) === (outcome === 'approved'));
      expect(await named()).toEqual([wanted, []]);
    });
  });

  it('are moved, and come with changes, while the seller holds the buy back; it is not resumed by that', async () => {
    const path = `/media-buys/${buy.media_buy_id}`;
    expect((await operate(at, 'POST', `${path}/hold`, { reason: 'the page is down' })).status).toBe(200);
    const creative = brand();
    await operations(replace(old, next), assign(other, second));
    expect(await change(bringing(creative))).not.toHaveProperty('adcp_error');
    expect(await named()).toEqual([[next, creative.creative_id], [other]]);
    expect(await isKept(creative)).toBe(true);
    expect((await inStore()).on_hold).toMatchObject({ reason: 'the page is down' });
  });

  it('are neither moved nor brought under an account that is suspended, though a change does not name it', async () => {
    const { account_id = '' } = await inStore();
    const move = (status: string) =>
      operate(at, 'POST', `/buyer-accounts/${account_id}/move`, { status, reason: 'owes' });
    await move('suspended');
    try {
      await expectRefused('ACCOUNT_SUSPENDED', { operations: 'account', update: 'account', control: 'account' });
      const creative = brand();
      const { account: _account, ...unnamed } = keyed({ media_buy_id: buy.media_buy_id, ...bringing(creative) });
      expect(await ask('update_media_buy', unnamed)).toMatchObject({ adcp_error: { code: 'ACCOUNT_SUSPENDED' } });
      expect(await at.core.sales.creatives.count(whereNamed(creative))).toBe(0);
    } finally {
      await move('active');
    }
  });

  it('are neither moved nor brought once the buy is over', async () => {
    const fields = { operations: 'assignment_operations[0]', update: 'media_buy_id', control: 'media_buy_id' };
    const over = ['canceled', 'completed'] as const;
    for (const status of over) {
      await at.core.sales.mediaBuys.update(MediaBuyId.parse(buy.media_buy_id), (row) => {
        const cause = { at: row.updated_at, action: status, actor: 'system' as const };
        const running = row.status === 'pending' ? transitionBuy(row, 'active', cause) : row;
        return transitionBuy(running, status, cause);
      });
      await expectRefused('INVALID_STATE', fields);
      buy = (await ask('create_media_buy', orderOf(line, { packages: buy.packages.map(() => line) }))) as Told;
      [first = '', second = ''] = buy.packages.map(({ package_id }) => package_id);
      await operations(assign(old));
    }
  });

  it('are no part of control_media_buy in any state, which says what they are changed by', async () => {
    const { media_buy_id, revision } = buy;
    for (const [name, value] of [
      ['creatives', [brand()]],
      ['creative_assignments', [{ creative_id: next }]],
    ] as const) {
      const packages = [{ package_id: first, paused: true, [name]: value }];
      expect(await ask('control_media_buy', keyed({ media_buy_id, revision, packages }))).toMatchObject({
        adcp_error: {
          ...{ code: 'UNSUPPORTED_FEATURE', field: `packages[0].${name}` },
          message: expect.stringContaining('update_media_buy or sync_creatives') as unknown,
        },
      });
    }
    expect((await inStore()).revision).toBe(revision);
  });

  describe('asked for at once', () => {
    it('are assigned and replaced both', async () => {
      const bodies = await Promise.all([operations(assign(other)), operations(replace(old, next))]);
      for (const body of bodies) expect(body).not.toHaveProperty('adcp_error');
      expect(new Set((await named())[0])).toEqual(new Set([next, other]));
    });

    it('take the place of the same one once, and who comes second is told', async () => {
      const bodies = await Promise.all([operations(replace(old, next)), operations(replace(old, other))]);
      const wins = bodies.filter((body) => {
        const [row] = (body['creatives'] ?? []) as { assignment_errors?: Json }[];
        return body['adcp_error'] === undefined && row?.assignment_errors === undefined;
      });
      expect(wins).toHaveLength(1);
      const [[held, ...others] = []] = await named();
      expect(others).toEqual([]);
      expect(wins[0]).toMatchObject({ creatives: [{ creative_id: held, assigned_to: [first] }] });
    });

    it('come with a change, or the buy is canceled before: none is kept that is in no package', async () => {
      const creative = brand();
      const { media_buy_id } = buy;
      const [changed, canceled] = await Promise.all([
        change(bringing(creative)),
        ask('update_media_buy', keyed({ media_buy_id, canceled: true })),
      ]);
      expect(canceled).toMatchObject({ media_buy_status: 'canceled' });
      const isDone = changed['adcp_error'] === undefined;
      expect(await isKept(creative)).toBe(isDone);
      expect((await named())[0]?.includes(creative.creative_id)).toBe(isDone);
    });

    it('are done once by one key, whoever repeats it and when', async () => {
      const creative = brand();
      const asked = keyed({ media_buy_id: buy.media_buy_id, ...bringing(creative) });
      const synced = keyed({ assignment_operations: [replace(old, next)] });
      const before = (await inStore()).history.length;
      const twice = (skill: string, request: Json) => Promise.all([ask(skill, request), ask(skill, request)]);
      await Promise.all([twice('update_media_buy', asked), twice('sync_creatives', synced)]);
      await until(async () => (await named())[0]?.length === 2 && (await isKept(creative)));
      expect(await ask('update_media_buy', asked)).toMatchObject({ replayed: true });
      expect(await ask('sync_creatives', synced)).toMatchObject({ replayed: true });
      expect(await named()).toEqual([[next, creative.creative_id], []]);
      expect((await inStore()).history).toHaveLength(before + 2);
      const { rows } = await at.core.sales.creatives.find({ where: whereNamed(creative) });
      const writes = rows.map(({ history }) => history.filter(({ actor }) => actor === 'buyer').length);
      expect([rows.map(({ version }) => version), writes]).toEqual([[1], [1]]);
    });
  });

  it('are those of the account: no package and no creative of another account or buyer is known', async () => {
    const theirs = sampleCreative({
      organization_id: organizationId('org_stranger'),
      creative_id: `x-${randomUUID()}`,
    });
    await at.core.sales.creatives.insert(theirs);
    const own = brand();
    await ask('sync_creatives', { account: OTHER_ACCOUNT, idempotency_key: randomUUID(), creatives: [own] });
    for (const { creative_id } of [theirs, own]) {
      const unknown = { adcp_error: { code: 'CREATIVE_NOT_FOUND' } };
      expect(await operations(assign(creative_id))).toMatchObject(unknown);
      expect(
        await change({ packages: [{ package_id: first, creative_assignments: [{ creative_id }] }] }),
      ).toMatchObject(unknown);
    }
    const elsewhere = { account: OTHER_ACCOUNT, idempotency_key: randomUUID() };
    expect(
      await ask('sync_creatives', { ...elsewhere, assignment_operations: [assign(own.creative_id)] }),
    ).toMatchObject({ adcp_error: { code: 'PACKAGE_NOT_FOUND', field: 'assignment_operations[0].package_id' } });
    const { media_buy_id } = buy;
    const brought = brand();
    expect(
      await ask('update_media_buy', {
        ...elsewhere,
        media_buy_id,
        ...bringing(brought),
        idempotency_key: randomUUID(),
      }),
    ).toMatchObject({ adcp_error: { code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_id' } });
    expect(await at.core.sales.creatives.count(whereNamed(brought))).toBe(0);
    // By the same id, each account has its own.
    const same = { ...brand(), creative_id: own.creative_id };
    await change(bringing(same));
    expect(await at.core.sales.creatives.count(whereNamed(own))).toBe(2);
    expect((await inStore()).packages[0]?.creative_ids[1]).toMatch(new RegExp(`^acc_.*/${own.creative_id}$`));
    const unnamed = brand();
    await ask('update_media_buy', { media_buy_id, idempotency_key: randomUUID(), ...bringing(unnamed) });
    expect(await isKept(unnamed)).toBe(true);
    const { rows } = await at.core.sales.creatives.find({ where: whereNamed(unnamed) });
    expect(rows.map(({ account_id }) => account_id)).toEqual([(await inStore()).account_id]);
  });

  it('are moved by five hundred operations at most, each creative once a package', async () => {
    const lines = Array.from({ length: 5 }, () => ({ ...line, budget: 9_000 }));
    const made = (await ask('create_media_buy', orderOf(line, { packages: lines }))) as Told;
    const packages = made.packages.map(({ package_id }) => package_id);
    const creatives = Array.from({ length: 100 }, brand);
    await sync({ creatives });
    const all = packages.flatMap((id) => creatives.map(({ creative_id }) => assign(creative_id, id)));
    expect(await operations(...all, ...all)).toMatchObject({ adcp_error: { field: 'assignment_operations' } });
    expect(await operations(...all.slice(0, 10), ...all.slice(9, 10))).toMatchObject({
      adcp_error: { code: 'INVALID_REQUEST', field: 'assignment_operations[10].creative_id' },
    });
    buy = made;
    expect((await named()).flat()).toEqual([]);
    const done = await operations(...all);
    expect(done['creatives']).toMatchObject(
      creatives.map(({ creative_id }) => ({ creative_id, assigned_to: packages })),
    );
    expect(new Set((await named()).map((ids) => ids.length))).toEqual(new Set([100]));
  });
});
