import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const ACCOUNT = accountOf('acme.example');

describeOnStores('[B11] assignments of creatives by the public protocol on %s', (store) => {
  let at: TestAgent;
  let sample: Json;
  let line: Json;
  /** New for each test: a buy of two packages, the first of which names `old`. */
  let package_ids: string[];
  let media_buy_id: unknown;
  const [old, next, other] = ['old', 'next', 'other'] as const;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '86400' } });
    line = await packageForSale(at);
    const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    sample = example.creatives[0] ?? {};
    const creatives = [old, next, other].map((creative_id) => ({ ...sample, creative_id }));
    await sync({ creatives }, '3.1');
  });
  beforeEach(async () => {
    const packages = [{ ...line, creative_assignments: [{ creative_id: old }] }, line];
    const made = await ask('create_media_buy', orderOf(line, { packages }));
    media_buy_id = made['media_buy_id'];
    package_ids = (made['packages'] as { package_id: string }[]).map(({ package_id }) => package_id);
  });
  afterAll(() => at.stop());

  async function ask(skill: string, parameters: Json, release: Release = '3.2'): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
    expect(schemaErrors(skill, release, body)).toEqual([]);
    return body;
  }
  const sync = (more: Json, release: Release = '3.2') =>
    ask('sync_creatives', { account: ACCOUNT, idempotency_key: randomUUID(), ...more }, release);
  const operate = (...assignment_operations: Json[]) => sync({ assignment_operations });
  /** The ids that each package names. */
  async function named(): Promise<string[][]> {
    const { media_buys } = await ask('get_media_buys', { account: ACCOUNT, media_buy_ids: [media_buy_id] });
    const [buy] = media_buys as { packages: { creative_assignments: { creative_id: string }[] }[] }[];
    return (buy?.packages ?? []).map((one) => one.creative_assignments.map(({ creative_id }) => creative_id));
  }

  it('are made without creatives in 3.2, and told of each', async () => {
    const [first, second] = package_ids;
    const assignments = [
      { creative_id: next, package_id: first },
      { creative_id: next, package_id: second },
    ];
    expect(await sync({ assignments })).toMatchObject({
      creatives: [{ creative_id: next, action: 'unchanged', assigned_to: [first, second] }],
    });
    expect(await named()).toEqual([[old, next], [next]]);
    for (const release of ['3.0', '3.1'] as const) {
      expect(await sync({ assignments }, release)).toMatchObject({ adcp_error: { field: 'creatives' } });
    }
    expect(await sync({})).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'creatives' } });
    const missing = await sync({ assignments, delete_missing: true });
    expect(missing).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'delete_missing' } });
  });

  it('assign, unassign and replace by operations, each told of its creative', async () => {
    const [first, second] = package_ids;
    const done = await operate(
      { operation: 'replace', creative_id: next, replaces_creative_id: old, package_id: first },
      { operation: 'assign', creative_id: other, package_id: first },
      { operation: 'assign', creative_id: old, package_id: second },
    );
    expect(done['creatives']).toMatchObject([
      { creative_id: next, action: 'unchanged', assigned_to: [first] },
      { creative_id: other, assigned_to: [first] },
      { creative_id: old, assigned_to: [second] },
    ]);
    expect(await named()).toEqual([[next, other], [old]]);
    const out = await operate({ operation: 'unassign', creative_id: other, package_id: first });
    expect(out['creatives']).toMatchObject([{ creative_id: other, action: 'unchanged', assigned_to: [] }]);
    expect(await named()).toEqual([[next], [old]]);
    // What is so already is done.
    await operate({ operation: 'unassign', creative_id: other, package_id: first });
    await operate({ operation: 'replace', creative_id: next, replaces_creative_id: old, package_id: first });
    expect(await named()).toEqual([[next], [old]]);
  });

  it('come with creatives, which may be new, and change nothing in a dry run', async () => {
    const [first] = package_ids;
    const creative_id = `new-${randomUUID()}`;
    const creatives = [{ ...sample, creative_id }];
    const assignment_operations = [{ operation: 'replace', creative_id, replaces_creative_id: old, package_id: first }];
    const told = [{ creative_id, action: 'created', assigned_to: [first] }];
    const dry = await sync({ creatives, assignment_operations, dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, creatives: [{ creative_id, action: 'created' }] });
    expect(await named()).toEqual([[old], []]);
    expect(await sync({ creatives, assignment_operations })).toMatchObject({ creatives: told });
    expect(await named()).toEqual([[creative_id], []]);
  });

  it('are done all or none', async () => {
    const [first, second] = package_ids;
    const good = { operation: 'assign', creative_id: next, package_id: first };
    const field = (name: string) => `assignment_operations[1]${name}`;
    const cases: [Json, string, string][] = [
      [{ operation: 'assign', creative_id: 'zz', package_id: first }, 'CREATIVE_NOT_FOUND', field('.creative_id')],
      [{ operation: 'unassign', creative_id: 'zz', package_id: first }, 'CREATIVE_NOT_FOUND', field('.creative_id')],
      [{ operation: 'assign', creative_id: old, package_id: 'mb_x_p1' }, 'PACKAGE_NOT_FOUND', field('.package_id')],
      [
        { operation: 'replace', creative_id: old, replaces_creative_id: other, package_id: second },
        'INVALID_REQUEST',
        field(''),
      ],
      [{ operation: 'unassign', creative_id: next, package_id: first }, 'INVALID_REQUEST', field('.creative_id')],
      [{ ...good, package_id: second, weight: 30 }, 'UNSUPPORTED_FEATURE', field('.weight')],
      [{ ...good, package_id: second, placement_ids: ['top'] }, 'UNSUPPORTED_FEATURE', field('.placement_ids')],
    ];
    for (const [bad, code, where] of cases) {
      expect([bad, await operate(good, bad)]).toMatchObject([bad, { adcp_error: { code, field: where } }]);
    }
    const assignment_operations = [good];
    const lenient = await sync({ assignment_operations, validation_mode: 'lenient' });
    expect(lenient).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'validation_mode' } });
    const both = await sync({ assignment_operations, assignments: [{ creative_id: next, package_id: first }] });
    expect(both).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'assignment_operations' } });
    expect(await sync({ creatives: [sample], assignment_operations }, '3.1')).toMatchObject({
      adcp_error: { code: 'UNSUPPORTED_FEATURE', field: 'assignment_operations' },
    });
    expect(await named()).toEqual([[old], []]);
    const canceled = { account: ACCOUNT, media_buy_id, idempotency_key: randomUUID(), canceled: true };
    await ask('update_media_buy', canceled);
    expect(await operate(good)).toMatchObject({
      adcp_error: { code: 'INVALID_STATE', field: 'assignment_operations[0]' },
    });
  });

  it.each(['3.0', '3.1', '3.2'] as const)(
    '[B6] come with a change of a package in %s, which stores them',
    async (release) => {
      const creative_id = `brought-${randomUUID()}`;
      const [package_id] = package_ids;
      const change = (creatives: Json[], more: Json = {}) =>
        ask(
          'update_media_buy',
          {
            ...{ account: ACCOUNT, media_buy_id, idempotency_key: randomUUID() },
            packages: [{ package_id, creatives, ...more }],
          },
          release,
        );
      const bad = await change([{ ...sample, creative_id, assets: {} }], { budget: 19_000 });
      expect(bad).toMatchObject({
        adcp_error: { field: expect.stringMatching(/^packages\[0\]\.creatives\[0\]/) as unknown },
      });
      expect(await named()).toEqual([[old], []]);
      await change([{ ...sample, creative_id }]);
      expect(await named()).toEqual([[old, creative_id], []]);
      const { creatives } = await ask('list_creatives', { account: ACCOUNT, filters: { creative_ids: [creative_id] } });
      expect(creatives).toMatchObject([{ creative_id, assignments: { assigned_packages: [{ package_id }] } }]);
      await change([{ ...sample, creative_id: next }], { creative_assignments: [{ creative_id: other }] });
      expect(await named()).toEqual([[other, next], []]);
    },
  );
});
