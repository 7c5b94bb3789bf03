import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CreativeStatus, creativeKey } from '../../src/sales/creative/creative.ts';
import { MediaBuyStatus } from '../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { SyncCreativesRequest } from '../../src/tasks/sync-creatives/schema.ts';
import type { SyncCreativesResponse } from '../../src/tasks/sync-creatives/schema.ts';
import { organizationId } from '../support/ids.ts';
import { banner, Died, mortal, openSync, storedBanner, storedBuy } from './support/open-sync.ts';
import type { OpenSync } from './support/open-sync.ts';

let room: OpenSync;
beforeAll(async () => {
  room = await openSync();
});
afterAll(() => room.close());

let organizations = 0;
function newOrganization(): string {
  return `org${(organizations += 1)}`;
}

async function statusOf(organization: string, creative_id: string) {
  return (await room.creatives.get(creativeKey(organizationId(organization), creative_id)))?.status;
}

describe('[B11] [C.tasks.sync_creatives] sync_creatives', () => {
  it('tells per creative what it did, and one bad creative never stops the others', async () => {
    const org = newOrganization();
    await room.creatives.insert(storedBanner(org, banner('same'), 'approved'));
    await room.creatives.insert(storedBanner(org, banner('changed'), 'approved'));
    const answer = await room.sync(org, 't1', {
      creatives: [
        { ...banner('bad'), assets: { image: { url: 'http://cdn.acme.example/a.png', width: 1, height: 250 } } },
        { creative_id: 'worse', nonsense: true },
        banner('new'),
        banner('same'),
        banner('changed', 'b'),
        { ...banner('lost'), format_id: { agent_url: 'https://elsewhere.example', id: 'x' } },
        banner('new', 'c'),
      ],
    });
    expect(answer.dry_run).toBe(false);
    expect(answer.creatives.map(({ creative_id, action, status }) => [creative_id, action, status])).toEqual([
      ['bad', 'failed', undefined],
      ['worse', 'failed', undefined],
      ['new', 'created', 'processing'],
      ['same', 'unchanged', 'approved'],
      ['changed', 'updated', 'processing'],
      ['lost', 'failed', undefined],
      ['new', 'failed', undefined],
    ]);
    const [bad, worse, , , changed, lost, again] = answer.creatives;
    expect(bad?.errors?.map(({ code, field }) => [code, field])).toEqual([
      ['VALIDATION_ERROR', 'creatives[0].assets.image.url'],
      ['VALIDATION_ERROR', 'creatives[0].assets.image.width'],
    ]);
    expect(worse?.errors?.[0]?.issues?.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/creatives/1/name', '/creatives/1/format_id', '/creatives/1/nonsense']),
    );
    expect(changed?.changes).toEqual(['assets.image']);
    expect(lost?.errors?.[0]).toMatchObject({ code: 'FORMAT_NOT_FOUND', field: 'creatives[5].format_id' });
    expect(again?.errors?.[0]).toMatchObject({ code: 'INVALID_REQUEST', field: 'creatives[6].creative_id' });
    expect(await statusOf(org, 'bad')).toBeUndefined();
    expect(await statusOf(org, 'new')).toBe('processing');
  });

  it('a failed update leaves the creative as it was', async () => {
    const org = newOrganization();
    await room.creatives.insert(storedBanner(org, banner('c1'), 'approved'));
    const before = await room.everything(org);
    const answer = await room.sync(org, 't1', { creatives: [{ ...banner('c1'), name: '' }] });
    expect(answer.creatives[0]).toMatchObject({ action: 'failed' });
    expect(await room.everything(org)).toEqual(before);
  });

  it('assigns beside what is there, tells what could not be, and lets the buy begin', async () => {
    const org = newOrganization();
    const takesBoth = storedBuy(org, 'buy', [[], ['old']], 'pending');
    const over = storedBuy(org, 'over', [[]], 'canceled');
    await room.mediaBuys.insert(takesBoth);
    await room.mediaBuys.insert(over);
    for (const id of ['old', 'ready']) await room.creatives.insert(storedBanner(org, banner(id), 'approved'));
    const video = {
      ...banner('video'),
      format_id: { ...banner('video').format_id, id: 'video_15s_16x9' },
      assets: { video: { url: 'https://cdn.acme.example/v.mp4', width: 1920, height: 1080, duration_ms: 15_000 } },
    };
    const [p1, p2] = takesBoth.packages.map(({ package_id }) => package_id);
    const pOver = over.packages[0]?.package_id ?? '';
    const answer = await room.sync(org, 't1', {
      creatives: [banner('new'), video, { creative_id: 'bad' }],
      assignments: { new: [p2, pOver], video: [p1], bad: [p1], ready: [p1, p1] },
    });
    expect(answer.creatives).toEqual([
      {
        ...{ creative_id: 'new', action: 'created', status: 'processing' },
        assigned_to: [p2],
        assignment_errors: { [pOver]: expect.stringContaining('is canceled') as string },
      },
      {
        ...{ creative_id: 'video', action: 'created', status: 'processing' },
        assigned_to: [],
        assignment_errors: { [p1 ?? '']: expect.stringContaining('does not take') as string },
      },
      expect.objectContaining({
        ...{ creative_id: 'bad', action: 'failed' },
        assigned_to: [],
        assignment_errors: { [p1 ?? '']: 'the creative was not synced' },
      }),
      { creative_id: 'ready', action: 'unchanged', status: 'approved', assigned_to: [p1] },
    ]);
    const buy = await room.mediaBuys.get(takesBoth.media_buy_id);
    expect(buy?.packages.map(({ creative_ids }) => creative_ids)).toEqual([['ready'], ['old', 'new']]);
    expect(buy).toMatchObject({ status: 'active', pending_reason: null });
    expect(buy?.history.map(({ action }) => action)).toEqual(['created', 'creatives_assigned', 'activated']);
  });

  it('[S6] delete_missing archives nothing that a buy which cannot be read may need, and the rest', async () => {
    const org = newOrganization();
    const buy = storedBuy(org, 'buy', [['serving']]);
    await room.mediaBuys.insert(buy);
    await room.creatives.insert(storedBanner(org, banner('serving'), 'approved'));
    await room.creatives.insert(storedBanner(org, banner('raw'), 'processing'));
    const mend = await room.spoil(MediaBuys, buy.media_buy_id, 'packages');
    const sync = async (task_id: string) => {
      const { creatives } = await room.sync(org, task_id, { creatives: [banner('kept')], delete_missing: true });
      return creatives.slice(1).map(({ creative_id, action, errors }) => [creative_id, action, errors?.[0]?.code]);
    };
    expect(await sync('t1')).toEqual([
      ['raw', 'archived', undefined],
      ['serving', 'failed', 'SERVICE_UNAVAILABLE'],
    ]);
    await mend();
    expect(await sync('t2')).toEqual([['serving', 'failed', 'CREATIVE_IN_USE']]);
  });

  it('delete_missing archives what is absent, but not what serves an active buy, and names the buy', async () => {
    const org = newOrganization();
    const buy = storedBuy(org, 'buy', [['serving'], ['rejected']]);
    await room.mediaBuys.insert(buy);
    await room.mediaBuys.insert(storedBuy(org, 'waiting', [['idle']], 'pending'));
    const library = { serving: 'approved', rejected: 'rejected', idle: 'approved', raw: 'processing' } as const;
    for (const [id, status] of Object.entries(library)) {
      await room.creatives.insert(storedBanner(org, banner(id), status));
    }
    await room.creatives.insert(storedBanner(org, banner('gone'), 'archived'));
    const answer = await room.sync(org, 't1', { creatives: [banner('kept')], delete_missing: true });
    expect(answer.creatives.map(({ creative_id, action, status }) => [creative_id, action, status])).toEqual([
      ['kept', 'created', 'processing'],
      ['idle', 'archived', 'archived'],
      ['raw', 'archived', 'archived'],
      ['rejected', 'archived', 'archived'],
      ['serving', 'failed', undefined],
    ]);
    expect(answer.creatives[4]?.errors?.[0]).toMatchObject({
      code: 'CREATIVE_IN_USE',
      message: expect.stringContaining(buy.media_buy_id) as string,
      details: { media_buy_ids: [buy.media_buy_id], package_ids: [buy.packages[0]?.package_id] },
    });
    expect(await statusOf(org, 'serving')).toBe('approved');
  });

  it('what is only assigned, or sent and refused, is not missing', async () => {
    const org = newOrganization();
    const buy = storedBuy(org, 'buy', [[]], 'pending');
    await room.mediaBuys.insert(buy);
    for (const id of ['a', 'b']) await room.creatives.insert(storedBanner(org, banner(id), 'approved'));
    const answer = await room.sync(org, 't1', {
      creatives: [{ creative_id: 'a' }],
      assignments: { b: [buy.packages[0]?.package_id] },
      delete_missing: true,
    });
    expect(answer.creatives.map(({ creative_id, action }) => [creative_id, action])).toEqual([
      ['a', 'failed'],
      ['b', 'unchanged'],
    ]);
  });

  it('touches nothing of another organization', async () => {
    const [mine, theirs] = [newOrganization(), newOrganization()];
    await room.creatives.insert(storedBanner(theirs, banner('c1'), 'approved'));
    const before = await room.everything(theirs);
    const answer = await room.sync(mine, 't1', { creatives: [banner('c1')], delete_missing: true });
    expect(answer.creatives).toEqual([{ creative_id: 'c1', action: 'created', status: 'processing' }]);
    expect(await room.everything(theirs)).toEqual(before);
  });

  it.each([
    ['no creatives', { creatives: [] }],
    ['more than 100 creatives', { creatives: Array.from({ length: 101 }, (_, i) => banner(`c${i}`)) }],
    ['a creative without an id', { creatives: [{ name: 'x' }] }],
    ['an unknown key', { creatives: [banner('a')], dryrun: true }],
  ])('refuses %s as a whole', (_, request) => {
    expect(SyncCreativesRequest.safeParse(request).success).toBe(false);
  });
});

const ids = fc.constantFrom('c0', 'c1', 'c2', 'c3', 'c4', 'c5');
const looks = fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('300x250', '728x90'));
const story = fc.record({
  library: fc.uniqueArray(fc.tuple(ids, looks, fc.constantFrom(...CreativeStatus.options)), {
    selector: ([id]) => id,
    maxLength: 6,
  }),
  buys: fc.array(
    fc.tuple(
      fc.constantFrom(...MediaBuyStatus.options),
      fc.array(fc.uniqueArray(ids, { maxLength: 3 }), { minLength: 1, maxLength: 2 }),
    ),
    { maxLength: 3 },
  ),
  sent: fc.array(fc.tuple(ids, looks, fc.constantFrom('fits', 'fits', 'fits', 'unfit')), {
    minLength: 1,
    maxLength: 5,
  }),
  assigned: fc.dictionary(ids, fc.array(fc.nat({ max: 5 }), { maxLength: 3 }), { maxKeys: 3 }),
  delete_missing: fc.boolean(),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Stores what the story begins with for a new organization, and answers its request. */
async function begin({ library, buys, sent, assigned, delete_missing }: Story) {
  const org = newOrganization();
  for (const [id, [look, size], status] of library) {
    await room.creatives.insert(storedBanner(org, banner(id, look, size), status));
  }
  const stored = buys.map(([status, lines], i) => storedBuy(org, `b${i}`, lines, status));
  for (const buy of stored) await room.mediaBuys.insert(buy);
  const packages = stored.flatMap((buy) => buy.packages.map(({ package_id }) => package_id));
  const known = new Set([...library.map(([id]) => id), ...sent.map(([id]) => id)]);
  const assignments = Object.entries(assigned)
    .filter(([id]) => known.has(id as 'c0'))
    .map(([id, places]) => [id, places.flatMap((place) => packages[place] ?? [])] as const);
  const creatives = sent.map(([id, [look, size], fit]) => {
    const whole = banner(id, look, size);
    return fit === 'fits' ? whole : { ...whole, assets: {} };
  });
  return { org, packages, request: { creatives, assignments: Object.fromEntries(assignments), delete_missing } };
}

/** What became of each creative; a refusal without its words, which name every buy that is active by then. */
function decided({ creatives }: SyncCreativesResponse) {
  return creatives.map(({ errors = [], ...one }) => ({ ...one, codes: errors.map(({ code }) => code) }));
}

describe('[B11] whatever the library, the buys and the request', () => {
  it('a dry run answers the plan of the real run and changes nothing; a repeat of the task answers the same again', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (given) => {
        const { org, request } = await begin(given);
        const before = await room.everything(org);
        const dry = await room.sync(org, 'dry', { ...request, dry_run: true });
        expect(await room.everything(org)).toEqual(before);
        const real = await room.sync(org, 'real', request);
        expect(dry).toEqual({ ...real, dry_run: true });
        const after = await room.everything(org);
        expect(decided(await room.sync(org, 'real', request))).toEqual(decided(real));
        expect(await room.everything(org)).toEqual(after);
      }),
      { numRuns: 60 },
    );
  });

  it('a creative that is missing goes as the dry run said, though with it the sync would activate a buy', async () => {
    const { org, request } = await begin({
      library: [
        ['c0', ['a', '300x250'], 'approved'],
        ['c1', ['a', '300x250'], 'approved'],
      ],
      buys: [['pending', [['c1'], []]]],
      sent: [['c0', ['a', '300x250'], 'fits']],
      assigned: { c0: [1] },
      delete_missing: true,
    });
    const dry = await room.sync(org, 'dry', { ...request, dry_run: true });
    const real = await room.sync(org, 'real', request);
    expect(dry).toEqual({ ...real, dry_run: true });
    expect(real.creatives.map(({ creative_id, action }) => [creative_id, action])).toEqual([
      ['c0', 'unchanged'],
      ['c1', 'archived'],
    ]);
    expect(await room.mediaBuys.get(`mb_${org}_b0`)).toMatchObject({ status: 'pending' });
  });

  it('a later sync of the same finds nothing to do but what was refused', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (given) => {
        const { org, request } = await begin(given);
        const first = await room.sync(org, 't1', request);
        const second = await room.sync(org, 't2', request);
        const refused = decided(first).filter(({ action }) => action === 'failed');
        expect(decided(second).filter(({ action }) => action === 'failed')).toEqual(refused);
        const actions = second.creatives.filter(({ action }) => action !== 'failed').map(({ action }) => action);
        expect(new Set(actions).size).toBeLessThanOrEqual(1);
        expect(actions.every((action) => action === 'unchanged')).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe.each(['before', 'after'] as const)('[B11] a process that dies %s any write of a sync', (when) => {
  it.each(['assignments', 'operations'] as const)('is followed by one that does the rest of its %s', async (means) => {
    const beginning: Story = {
      library: [
        ['c0', ['a', '300x250'], 'approved'],
        ['c1', ['a', '300x250'], 'approved'],
        ['c2', ['a', '300x250'], 'approved'],
        ['c3', ['a', '300x250'], 'suspended'],
      ],
      buys: [
        ['active', [['c0'], ['c1']]],
        ['pending', [[]]],
      ],
      sent: [
        ['c0', ['b', '300x250'], 'fits'],
        ['c4', ['a', '728x90'], 'fits'],
        ['c5', ['a', '728x90'], 'unfit'],
      ],
      assigned: { c4: [0, 1, 2] },
      delete_missing: true,
    };
    const started = async () => {
      const { org, packages, request } = await begin(beginning);
      const [first = '', second = '', third = ''] = packages;
      const assignment_operations = [
        { operation: 'replace', creative_id: 'c4', replaces_creative_id: 'c0', package_id: first },
        { operation: 'unassign', creative_id: 'c1', package_id: second },
        { operation: 'assign', creative_id: 'c0', package_id: second },
        { operation: 'assign', creative_id: 'c4', package_id: third },
      ];
      const { assignments: _instead, ...others } = request;
      return { org, request: means === 'assignments' ? request : { ...others, assignment_operations } };
    };
    const calm = await started();
    const expected = named(await room.sync(calm.org, 'task', calm.request), calm.org);
    const wanted = named(await room.everything(calm.org), calm.org);
    const diedAt = new Set<string>();
    for (let n = 1; ; n++) {
      const { org, request } = await started();
      const countdown = { left: n, when };
      const on = {
        ...room.deps,
        creatives: mortal(room.creatives, countdown),
        mediaBuys: mortal(room.mediaBuys, countdown),
        impairments: mortal(room.impairments, countdown),
      };
      const died = await room.sync(org, 'task', request, on).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
        return error;
      });
      expect(named(await room.sync(org, 'task', request), org)).toEqual(expected);
      expect(named(await room.everything(org), org)).toEqual(wanted);
      if (!(died instanceof Died)) break;
      diedAt.add(died.message);
    }
    expect([...diedAt].sort()).toEqual(['creatives', 'media_buys']);
  });

  it('[D4.creatives] is followed so where an account gets its own beside one that all share, in the place of that', async () => {
    const account_id = `acc_${'0'.repeat(32)}`;
    const start = async () => {
      const org = newOrganization();
      await room.creatives.insert(storedBanner(org, banner('c'), 'approved'));
      const buy = { ...storedBuy(org, 'buy', [['c']]), account_id };
      await room.mediaBuys.insert(buy);
      const assignments = { c: buy.packages.map(({ package_id }) => package_id) };
      return { org, buy, request: { creatives: [banner('c', 'own')], assignments, delete_missing: true } };
    };
    const calm = await start();
    const answer = await room.sync(calm.org, 'task', calm.request, room.deps, account_id);
    expect(answer.creatives).toMatchObject([
      { creative_id: 'c', action: 'created', assigned_to: [calm.buy.packages[0]?.package_id] },
    ]);
    const after = await room.mediaBuys.get(calm.buy.media_buy_id);
    expect(after?.packages.map(({ creative_ids }) => creative_ids)).toEqual([[`${account_id}/c`]]);
    expect(await statusOf(calm.org, 'c')).toBe('approved');
    const expected = named(answer, calm.org);
    const wanted = named(await room.everything(calm.org), calm.org);
    const diedAt = new Set<string>();
    for (let n = 1; ; n++) {
      const { org, request } = await start();
      const countdown = { left: n, when };
      const on = {
        ...room.deps,
        creatives: mortal(room.creatives, countdown),
        mediaBuys: mortal(room.mediaBuys, countdown),
      };
      const died = await room.sync(org, 'task', request, on, account_id).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
        return error;
      });
      expect(named(await room.sync(org, 'task', request, room.deps, account_id), org)).toEqual(expected);
      expect(named(await room.everything(org), org)).toEqual(wanted);
      if (!(died instanceof Died)) break;
      diedAt.add(died.message);
    }
    expect([...diedAt].sort()).toEqual(['creatives', 'media_buys']);
  });
});

/** The same with the organization's name taken out, to compare one with another. */
function named(value: unknown, org: string): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(new RegExp(`\\b(mb_|task_mb_)?${org}(?=[_/"])`, 'g'), '$1ORG'));
}
