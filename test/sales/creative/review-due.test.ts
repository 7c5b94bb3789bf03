import { afterEach, expect, it } from 'vitest';
import { creativeKey, Creatives } from '../../../src/sales/creative/creative.ts';
import { effectsDue, recheckImpaired } from '../../../src/sales/creative/effects.ts';
import { decideOnCreative } from '../../../src/sales/creative/review/decide.ts';
import { reviewDue } from '../../../src/sales/creative/review/review-due.ts';
import { Impairments } from '../../../src/sales/impairment/impairment.ts';
import { openImpairments, readHealth, viewImpairments } from '../../../src/sales/impairment/impairment-view.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import { transitionBuy } from '../../../src/sales/media-buy/transitions.ts';
import { mediaBuyId, organizationId } from '../../support/ids.ts';

import { REVIEW_MS, openLibrary } from '../support/open-library.ts';
import type { Library } from '../support/open-library.ts';
import { describeOnStores } from '../../support/stores.ts';
import type { StoreKind } from '../../support/stores.ts';

const ORGANIZATION = organizationId('org_1');

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

async function open(kind: StoreKind): Promise<Library> {
  const library = await openLibrary(kind);
  cleanUp.push(() => library.close());
  return library;
}

async function statusOf(library: Library, creative_id = 'c1'): Promise<string | undefined> {
  return (await library.creatives.get(creativeKey(ORGANIZATION, creative_id)))?.status;
}

async function buyOf(library: Library, media_buy_id = mediaBuyId('mb_1')) {
  const buy = await library.mediaBuys.get(media_buy_id);
  if (buy === undefined) throw new Error(`no buy ${media_buy_id}`);
  const open = await openImpairments(library.impairments, [media_buy_id]);
  return { ...buy, ...viewImpairments(open.get(media_buy_id) ?? []) };
}

describeOnStores('[B11] the review of creatives on %s', (kind) => {
  it('approves after its time, and the buy that waited for it begins', async () => {
    const library = await open(kind);
    await library.addCreative();
    await library.addBuy([['c1']]);
    await reviewDue(library);
    expect(await statusOf(library)).toBe('pending_review');
    expect(await buyOf(library)).toMatchObject({ status: 'pending', pending_reason: 'creatives' });
    library.clock.advance(REVIEW_MS);
    await reviewDue(library);
    const creative = await library.creatives.get(creativeKey(ORGANIZATION, 'c1'));
    expect(creative).toMatchObject({ status: 'approved', review_due_at: null, effects_due_at: null });
    expect(creative?.history.map(({ to_status }) => to_status)).toEqual(['processing', 'pending_review', 'approved']);
    expect(await buyOf(library)).toMatchObject({ status: 'active', health: 'ok', impairments: [] });
  });

  it('leaves a buy pending until every package has an approved creative, then for its start', async () => {
    const library = await open(kind);
    await library.addCreative();
    await library.addCreative({ creative_id: 'c2', name: 'sim-hold' });
    const start_time = new Date(library.clock.now() + 10 * REVIEW_MS).toISOString();
    await library.addBuy([['c1'], ['c2']], { start_time });
    await reviewDue(library);
    library.clock.advance(REVIEW_MS);
    await reviewDue(library);
    expect(await buyOf(library)).toMatchObject({ status: 'pending', pending_reason: 'creatives' });
    await decideOnCreative(library, { organization_id: ORGANIZATION, creative_id: 'c2', to: 'approved' });
    expect(await buyOf(library)).toMatchObject({ status: 'pending', pending_reason: 'start_time' });
  });

  it('rejects with a reason, and holds what is told to wait, whatever the time', async () => {
    const library = await open(kind);
    await library.addCreative({ tags: ['SIM-Reject'] });
    await library.addCreative({ creative_id: 'c2', assets: { image: { url: 'https://cdn.example/sim-hold.png' } } });
    await reviewDue(library);
    library.clock.advance(100 * REVIEW_MS);
    await reviewDue(library);
    const rejected = await library.creatives.get(creativeKey(ORGANIZATION, 'c1'));
    expect(rejected).toMatchObject({ status: 'rejected', reason_code: 'content_rejected' });
    expect(rejected?.status_reason).toContain('sim-reject');
    expect(await statusOf(library, 'c2')).toBe('pending_review');
  });

  it('a verdict about a version that was replaced meanwhile is dropped', async () => {
    const library = await open(kind);
    const { creative_key } = await library.addCreative();
    const review = {
      async review() {
        await library.creatives.update(creative_key, (row) => ({ ...row, version: row.version + 1 }));
        return { verdict: 'approved' as const };
      },
    };
    await reviewDue({ ...library, review });
    expect(await statusOf(library)).toBe('pending_review');
  });

  it('a review that fails is asked again later, and stops no other', async () => {
    const library = await open(kind);
    await library.addCreative();
    await library.addCreative({ creative_id: 'c2' });
    let asked = 0;
    const review = {
      review({ creative_id }: { creative_id: string }) {
        asked += 1;
        if (creative_id === 'c1') return Promise.reject(new Error('away'));
        return Promise.resolve({ verdict: 'approved' as const });
      },
    };
    await reviewDue({ ...library, review });
    expect([await statusOf(library), await statusOf(library, 'c2')]).toEqual(['pending_review', 'approved']);
    await reviewDue({ ...library, review });
    expect(asked).toBe(2);
    library.clock.advance(30_000);
    await reviewDue({ ...library, review });
    expect(asked).toBe(3);
  });

  it('several processes at once make one history', async () => {
    const library = await open(kind);
    await library.addCreative();
    await library.addBuy([['c1']]);
    library.clock.advance(REVIEW_MS);
    await Promise.all(Array.from({ length: 6 }, () => reviewDue(library)));
    await reviewDue(library);
    const creative = await library.creatives.get(creativeKey(ORGANIZATION, 'c1'));
    expect(creative?.history.map(({ to_status }) => to_status)).toEqual(['processing', 'pending_review', 'approved']);
    const buy = await buyOf(library);
    expect(buy.history.map(({ action }) => action)).toEqual(['created', 'activated']);
  });
});

describeOnStores('[B9] the impairments of a buy on %s', (kind) => {
  async function running(kind_: typeof kind): Promise<Library> {
    const library = await open(kind_);
    await library.addCreative({ status: 'approved' });
    await library.addBuy([['c1']], { status: 'active', pending_reason: null });
    return library;
  }
  const suspended = {
    organization_id: ORGANIZATION,
    creative_id: 'c1',
    to: 'suspended',
    reason: 'landing page',
  } as const;

  it('are raised when its only creative is suspended and cleared when it serves again, with a new id each time', async () => {
    const library = await running(kind);
    await decideOnCreative(library, { ...suspended, reason_code: 'fraud' });
    const impaired = await buyOf(library);
    expect(impaired).toMatchObject({ status: 'active', health: 'impaired' });
    expect(impaired.impairments).toEqual([
      expect.objectContaining({
        resource_type: 'creative',
        resource_id: 'c1',
        package_ids: ['mb_1_p1'],
        transition: { from: 'approved', to: 'suspended' },
        reason_code: 'fraud',
        reason: 'landing page',
        latency_class: 'latency_sensitive',
      }),
    ]);
    await decideOnCreative(library, { ...suspended, to: 'approved' });
    expect(await buyOf(library)).toMatchObject({ health: 'ok', impairments: [] });
    await decideOnCreative(library, suspended);
    const again = await buyOf(library);
    expect(again.impairments).toHaveLength(1);
    expect(again.impairments[0]?.impairment_id).not.toBe(impaired.impairments[0]?.impairment_id);
    expect(library.told.impairments.map((row) => row.open)).toEqual([true, false, true]);
    expect(library.told.impairments.every((row) => row.untold_since !== null)).toBe(true);
  });

  it('are cleared when another approved creative is assigned, and when the buy is over', async () => {
    const library = await running(kind);
    await library.addCreative({ creative_id: 'c2', status: 'approved' });
    await decideOnCreative(library, suspended);
    await library.mediaBuys.update('mb_1', (buy) => ({
      ...buy,
      packages: buy.packages.map((line) => ({ ...line, creative_ids: ['c1', 'c2'] })),
    }));
    expect(await recheckImpaired(library)).toBe(1);
    expect(await buyOf(library)).toMatchObject({ health: 'ok' });
    await decideOnCreative(library, { ...suspended, creative_id: 'c2' });
    expect((await buyOf(library)).impairments.map(({ resource_id }) => resource_id).sort()).toEqual(['c1', 'c2']);
    const over = { at: new Date(library.clock.now()).toISOString(), action: 'canceled', actor: 'buyer' } as const;
    await library.mediaBuys.update('mb_1', (buy) => transitionBuy(buy, 'canceled', over));
    await recheckImpaired(library);
    expect(await buyOf(library)).toMatchObject({ health: 'ok' });
  });

  it('are found after a process died between the creative and its buys', async () => {
    const library = await running(kind);
    const at = new Date(library.clock.now()).toISOString();
    await library.creatives.update(creativeKey(ORGANIZATION, 'c1'), (row) => ({
      ...row,
      status: 'suspended',
      effects_due_at: at,
    }));
    expect(await effectsDue(library, 1000)).toBe(0);
    library.clock.advance(1000);
    expect(await effectsDue(library, 1000)).toBe(1);
    expect(await buyOf(library)).toMatchObject({ health: 'impaired' });
    expect(await effectsDue(library, 0)).toBe(0);
  });

  it('[S6] are found once a buy can be read that could not be when its creative was suspended; others do not wait', async () => {
    const library = await running(kind);
    await library.addCreative({ organization_id: organizationId('org_2'), status: 'approved' });
    await library.addBuy([['c1']], { status: 'active', pending_reason: null });
    const mend = await library.spoil(MediaBuys, 'mb_1', 'packages');
    await decideOnCreative(library, suspended);
    await decideOnCreative(library, { ...suspended, organization_id: organizationId('org_2') });
    const owing = async (id: string) =>
      (await library.creatives.get(creativeKey(organizationId(id), 'c1')))?.effects_due_at != null;
    expect([await owing('org_1'), await owing('org_2')]).toEqual([true, false]);
    expect(await buyOf(library, mediaBuyId('mb_2'))).toMatchObject({ health: 'impaired' });

    // It is not looked at again and again, and not forgotten.
    library.clock.advance(5_000);
    expect(await effectsDue(library, 0)).toBe(0);
    library.clock.advance(10 * 60_000);
    expect(await effectsDue(library, 0)).toBe(1);
    expect([await effectsDue(library, 0), await owing('org_1')]).toEqual([0, true]);

    await mend();
    library.clock.advance(10 * 60_000);
    expect(await effectsDue(library, 0)).toBe(1);
    expect(await buyOf(library, mediaBuyId('mb_1'))).toMatchObject({ health: 'impaired' });
    expect(await owing('org_1')).toBe(false);
  });

  it('[S6] of a buy that names a creative that cannot be read are owed with those of its creatives, and of no others', async () => {
    const library = await running(kind);
    await library.addCreative({ creative_id: 'c2', status: 'approved' });
    await library.addCreative({ creative_id: 'c3', status: 'approved' });
    await library.addBuy([['c2', 'c3']], { status: 'active', pending_reason: null });
    await library.spoil(Creatives, creativeKey(ORGANIZATION, 'c3'), 'assets');
    for (const creative_id of ['c2', 'c1']) await decideOnCreative(library, { ...suspended, creative_id });
    const { rows } = await library.creatives.find({ where: { effects_due_at: { gt: '' } } });
    expect(rows.map(({ creative_id }) => creative_id)).toEqual(['c2']);
    expect(await buyOf(library, mediaBuyId('mb_1'))).toMatchObject({ health: 'impaired' });
  });

  it('[S6] are told by its health, though none of them can be read, and of no other buy', async () => {
    const library = await running(kind);
    await library.addBuy([['c1', 'c2']], { status: 'active', pending_reason: null });
    await library.addCreative({ creative_id: 'c2', status: 'approved' });
    await decideOnCreative(library, suspended);
    const { rows } = await library.impairments.find({ where: { open: true } });
    const mend = await library.spoil(Impairments, rows[0]?.impairment_id ?? '', 'reason_code');
    const healthOf = async () => {
      const of = await readHealth(library.impairments, [mediaBuyId('mb_1'), mediaBuyId('mb_2')]);
      return [of('mb_1'), of('mb_2')];
    };
    expect(await healthOf()).toEqual([
      { health: 'impaired', impairments: [] },
      { health: 'ok', impairments: [] },
    ]);
    await mend();
    expect(await healthOf()).toMatchObject([
      { health: 'impaired', impairments: [{ resource_id: 'c1' }] },
      { health: 'ok' },
    ]);
  });

  it('are one for one state, however many processes find it at once', async () => {
    const library = await running(kind);
    const at = new Date(library.clock.now()).toISOString();
    await library.creatives.update(creativeKey(ORGANIZATION, 'c1'), (row) => ({
      ...row,
      status: 'suspended',
      effects_due_at: at,
    }));
    await Promise.all(Array.from({ length: 6 }, () => effectsDue(library, 0)));
    expect(await library.impairments.count({ media_buy_id: 'mb_1' })).toBe(1);
    expect(library.told.impairments).toHaveLength(1);
  });

  it('of another organization’s creative of the same id do not exist', async () => {
    const library = await running(kind);
    await library.addCreative({ organization_id: organizationId('org_2'), status: 'approved' });
    await decideOnCreative(library, { ...suspended, organization_id: organizationId('org_2') });
    expect(await buyOf(library)).toMatchObject({ health: 'ok' });
  });
});
