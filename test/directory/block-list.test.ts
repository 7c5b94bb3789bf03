import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBlockList, plantBlocked } from '../../src/directory/blocked-domain/block-list.ts';
import { BlockedDomains } from '../../src/directory/blocked-domain/blocked-domain-row.ts';
import { blockDomain, unblockDomain } from '../../src/directory/blocked-domain/change-block.ts';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
import { describeOnStores } from '../support/stores.ts';
import { installation } from './support/installation.ts';
import type { Installation } from './support/installation.ts';

const CDN = { domain_type: 'cdn', blocked_reason: 'serves files' } as const;

describeOnStores('the list of blocked domains on %s', (kind) => {
  let at: Installation;
  beforeAll(async () => {
    at = await installation([BlockedDomains], kind);
  });
  afterAll(() => at.close());

  /** The installation as a process has it. */
  const process = async () => {
    const here = { ...at, store: await at.another() };
    return { ...here, blockList: createBlockList(here) };
  };

  it('[R2.rows] is followed by a process that is told nothing, 3 s later', async () => {
    const [one, two] = [await process(), await process()];
    expect((await two.blockList.finder())('cdn.example')).toBeUndefined();
    await blockDomain(one, 'cdn.example', CDN, { id: 'act_1', by: 'Ann' });
    expect((await one.blockList.finder())('a.cdn.example')).toMatchObject(CDN);
    at.clock.advance(3_000);
    expect((await two.blockList.finder())('a.cdn.example')).toMatchObject(CDN);
    await unblockDomain(two, 'cdn.example', 'a drill', { id: 'act_2', by: 'Ben' });
    expect((await two.blockList.finder())('a.cdn.example')).toBeUndefined();
    one.blockList.forget();
    expect((await one.blockList.finder())('a.cdn.example')).toBeUndefined();
  });

  it('[R2.rows] answers where reading the list takes longer than it may be behind', async () => {
    const here = await process();
    await blockDomain(here, 'slow.example', CDN, { id: 'act_s', by: 'Ann' });
    let looks = 0;
    const now = () => {
      if (++looks > 20) throw new Error('it is read over and over');
      return at.clock.now() + looks * 4_000;
    };
    const blockList = createBlockList({ ...here, clock: { now } });
    expect((await blockList.finder())('a.slow.example')).toMatchObject(CDN);
  });

  it('[R2.rows] knows a change that comes again after a death by its id; of two at once one wins', async () => {
    const [one, two] = [await process(), await process()];
    const first = await blockDomain(one, 'twice.example', CDN, { id: 'act_3', by: 'Ann' });
    expect(await blockDomain(two, 'twice.example', CDN, { id: 'act_3', by: 'Ann' })).toMatchObject({
      ...{ change_id: 'act_3', changed_at: first.changed_at },
    });
    await unblockDomain(one, 'twice.example', 'a drill', { id: 'act_4', by: 'Ann' });
    expect(await unblockDomain(one, 'twice.example', 'a drill', { id: 'act_4', by: 'Ann' })).toMatchObject({
      state: 'unblocked',
    });
    const both = await Promise.allSettled(
      [one, two].map((here, i) => blockDomain(here, 'race.example', CDN, { id: `act_r${i}`, by: `B${i}` })),
    );
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'INVALID_STATE' } });
  });

  it('[R2.rows] keeps what was changed when it is planted again, and is never longer than a server holds', async () => {
    const here = await process();
    const entries = Array.from({ length: INPUT_LIMITS.blockedDomains }, (_, i) => ({
      domain: `d${i}.example`,
      ...CDN,
    }));
    expect(await plantBlocked(here, entries.slice(0, 2))).toBe(2);
    await unblockDomain(here, 'd0.example', 'a drill', { id: 'act_5', by: 'Ann' });
    const { rows } = await here.store.collection(BlockedDomains).find({ where: { state: 'blocked' } });
    const more = entries.length - rows.length;
    expect(await plantBlocked(here, entries.slice(0, more + 2))).toBe(more);
    expect((await here.blockList.finder())('d0.example')).toBeUndefined();
    await expect(blockDomain(here, 'one-more.example', CDN, { id: 'act_6', by: 'Ann' })).rejects.toMatchObject({
      ...{ code: 'VALIDATION_ERROR', details: { field: 'domain' } },
    });
    expect(await here.store.collection(BlockedDomains).get('one-more.example')).toBeUndefined();
    await expect(blockDomain(here, 'd0.example', {}, { id: 'act_7', by: 'Ann' })).rejects.toMatchObject({
      ...{ code: 'VALIDATION_ERROR', details: { field: 'domain' } },
    });
    await unblockDomain(here, 'd1.example', 'a drill', { id: 'act_8', by: 'Ann' });
    expect(await blockDomain(here, 'd0.example', {}, { id: 'act_9', by: 'Ann' })).toMatchObject(CDN);
  });
});
