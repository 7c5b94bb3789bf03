import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

const ACCOUNT = accountOf('acme.example');

describeOnStores('[D4.refused] even turns with the creatives that a package has already, on %s', (store) => {
  let at: TestAgent;
  let sample: Json;
  let line: Json;
  /** New for each test: a buy of two packages, the first of which names `old`. */
  let media_buy_id: unknown;
  let first: string;
  let empty: string;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '86400' } });
    line = await packageForSale(at);
    const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: [Json] };
    [sample] = example.creatives;
    const creatives = ['old', 'next', 'other'].map((creative_id) => ({ ...sample, creative_id }));
    expect(await sync({ creatives })).not.toHaveProperty('adcp_error');
  });
  beforeEach(async () => {
    const packages = [{ ...line, creative_assignments: [{ creative_id: 'old', weight: 70 }] }, line];
    const made = await ask('create_media_buy', orderOf(line, { packages }));
    media_buy_id = made['media_buy_id'];
    [first, empty] = (made['packages'] as { package_id: string }[]).map(({ package_id }) => package_id) as [
      string,
      string,
    ];
  });
  afterAll(() => at.stop());

  async function ask(skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: '3.2', ...parameters }));
    expect(schemaErrors(skill, '3.2', body)).toEqual([]);
    return body;
  }
  const keyed = () => ({ account: ACCOUNT, idempotency_key: randomUUID() });
  const sync = (more: Json) => ask('sync_creatives', { ...keyed(), ...more });
  const update = (change: Json) => ask('update_media_buy', { ...keyed(), media_buy_id, packages: [change] });
  const creative = (creative_id: string, weight?: number) => ({
    ...{ ...sample, creative_id },
    ...(weight !== undefined && { weight }),
  });
  const refusedAt = (field: string) => ({ adcp_error: { code: 'UNSUPPORTED_FEATURE', field } });
  const packagesNow = async () => (await at.core.sales.mediaBuys.get(String(media_buy_id)))?.packages;

  it('a weight that sync_creatives assigns besides what stands is refused, and changes nothing', async () => {
    const before = await packagesNow();
    const refused: [Json, string][] = [
      [{ assignments: [{ creative_id: 'next', package_id: first, weight: 30 }] }, 'assignments[0].weight'],
      // Two alike are not the turns of three.
      [
        {
          assignments: [
            { creative_id: 'next', package_id: first, weight: 50 },
            { creative_id: 'other', package_id: first, weight: 50 },
          ],
        },
        'assignments[0].weight',
      ],
      // What a creative says is said of its assignment.
      [
        { creatives: [creative('next', 30)], assignments: [{ creative_id: 'next', package_id: first }] },
        'creatives[0].weight',
      ],
      [
        {
          creatives: [creative('next', 30)],
          assignments: [
            { creative_id: 'next', package_id: empty },
            { creative_id: 'other', package_id: empty },
          ],
        },
        'assignments[1].weight',
      ],
      [
        {
          creatives: [creative('next', 30)],
          assignment_operations: [{ operation: 'assign', creative_id: 'next', package_id: empty }],
        },
        'creatives[0].weight',
      ],
    ];
    for (const [more, field] of refused) expect([more, await sync(more)]).toMatchObject([more, refusedAt(field)]);
    expect(await packagesNow()).toEqual(before);
  });

  it('a weight is taken where all that the package will have is named with it, and others go without one', async () => {
    const both = ['old', 'next'].map((creative_id) => ({ creative_id, package_id: first, weight: 50 }));
    const taken = [
      { assignments: [{ creative_id: 'old', package_id: first, weight: 70 }] },
      { assignments: both },
      { assignments: both },
      { assignments: [{ creative_id: 'other', package_id: first }] },
      { creatives: [creative('next', 30)], assignments: [{ creative_id: 'next', package_id: empty, weight: 30 }] },
    ];
    for (const more of taken) expect([more, await sync(more)]).not.toHaveProperty([1, 'adcp_error']);
    expect((await packagesNow())?.map(({ creative_ids }) => creative_ids.length)).toEqual([3, 1]);
  });

  it('a package of nobody is refused as such, whatever weight is said of it', async () => {
    const assignments = [{ creative_id: 'next', package_id: 'mb_x_p1', weight: 30 }];
    const { adcp_error, creatives } = await sync({ creatives: [creative('next')], assignments });
    expect(JSON.stringify(adcp_error ?? creatives)).toContain('mb_x_p1');
  });

  it('a weight of a creative that update_media_buy brings besides what stands is refused, and changes nothing', async () => {
    const before = await packagesNow();
    const id = `new-${randomUUID()}`;
    const old = { creative_id: 'old' };
    const refused: [Json, string][] = [
      [{ creatives: [creative(id, 30)] }, 'packages[0].creatives[0].weight'],
      // With a list of assignments, that list is what stands.
      [
        { creative_assignments: [{ ...old, weight: 70 }], creatives: [creative(id, 30)] },
        'packages[0].creatives[0].weight',
      ],
      [{ creative_assignments: [old], creatives: [creative(id, 30)] }, 'packages[0].creative_assignments[0].weight'],
    ];
    for (const [more, field] of refused) {
      expect([more, await update({ package_id: first, ...more })]).toMatchObject([more, refusedAt(field)]);
      const booked = await ask('create_media_buy', orderOf({ ...line, ...more }));
      if ('creative_assignments' in more) expect([more, booked]).toMatchObject([more, refusedAt(field)]);
    }
    expect(await packagesNow()).toEqual(before);
    for (const more of [
      { creative_assignments: [{ ...old, weight: 30 }], creatives: [creative(id, 30)] },
      { creatives: [creative(id, 30), creative('old', 30)] },
      { creatives: [creative(`${id}-2`)] },
    ])
      expect([more, await update({ package_id: first, ...more })]).not.toHaveProperty([1, 'adcp_error']);
    expect((await packagesNow())?.[0]?.creative_ids).toHaveLength(3);
  });
});
