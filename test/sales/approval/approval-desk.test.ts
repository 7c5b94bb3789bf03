import { afterEach, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { createApprovalDesk } from '../../../src/sales/approval/approval-desk.ts';
import type { ApprovalDesk } from '../../../src/sales/approval/approval-desk.ts';
import { Approvals, approvalIdOf } from '../../../src/sales/approval/approval.ts';
import type { ApprovalGrant } from '../../../src/sales/approval/grant.ts';
import { organizationId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import type { StoreKind } from '../../support/stores.ts';
import { openDesk } from '../support/open-desk.ts';
import type { RoomOptions } from '../support/open-desk.ts';
import { TERMS, termsOf } from '../support/sample-approval.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const openRoom = (kind: StoreKind, options: RoomOptions = {}) => openDesk(kind, cleanUp, options);

describeOnStores('the approval desk on %s', (kind) => {
  it('wakes every task that is owed it, whichever cannot be woken; that one stays owed', async () => {
    let calls = 0;
    const room = await openRoom(kind, {
      wakes: () => {
        calls += 1;
        return calls === 1 ? Promise.reject(new Error('its row cannot be read')) : Promise.resolve(true);
      },
    });
    const { desk, clock, woken } = room;
    const due = toTimestamp(clock.now());
    const [bad, good] = [await room.ask({ wake_due_at: due }), await room.ask({ wake_due_at: due })];
    clock.advance(10_000);
    await expect(desk.wakeDue(10_000)).rejects.toThrow('its row cannot be read');
    expect(woken.toSorted()).toEqual([bad.task_id, good.task_id].sort());
    const owed = await Promise.all([bad, good].map(({ approval_id }) => room.read(approval_id)));
    expect(owed.filter((row) => row?.wake_due_at === due).map((row) => row?.task_id)).toEqual([woken[0]]);
  });

  it('shows the longest waiting first, by status, operation, buyer and buy, page by page', async () => {
    const { desk, ask, clock } = await openRoom(kind);
    const rows = [];
    for (let i = 0; i < 5; i++) {
      rows.push(await ask({ organization_id: organizationId(i % 2 === 0 ? 'org_a' : 'org_b') }));
      clock.advance(HOUR_MS);
    }
    const ids = rows.map(({ approval_id }) => approval_id);
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = ids;
    await desk.approve(second, { by: 'ann' });
    const idsOf = async (filter: Parameters<ApprovalDesk['list']>[0]) =>
      (await desk.list(filter, { limit: 10 })).rows.map(({ approval_id }) => approval_id);
    expect(await idsOf({})).toEqual(ids);
    expect(await idsOf({ status: ['pending', 'asked'] })).toEqual([first, third, fourth, fifth]);
    expect(await idsOf({ status: ['approved'] })).toEqual([second]);
    expect(await idsOf({ organization_id: organizationId('org_b'), status: ['pending'] })).toEqual([fourth]);
    expect(await idsOf({ operation: 'update_media_buy' })).toEqual([]);
    expect(await idsOf({ media_buy_id: rows[2]?.media_buy_id })).toEqual([third]);
    const page = await desk.list({ status: ['pending'] }, { limit: 3 });
    const rest = await desk.list({ status: ['pending'] }, { limit: 3, after: page.cursor });
    expect(page.rows).toHaveLength(3);
    expect(rest.rows.map(({ approval_id }) => approval_id)).toEqual([fifth]);
    expect(rest.cursor).toBeUndefined();
  });

  it('keeps who decided and when, also days after it was asked', async () => {
    const { desk, ask, clock, woken } = await openRoom(kind);
    const { approval_id, task_id } = await ask();
    clock.advance(9 * DAY_MS);
    const decided = await desk.approve(approval_id, { by: 'ann', note: 'fine' });
    const at = toTimestamp(clock.now());
    expect(decided).toMatchObject({
      status: 'approved',
      decided_by: 'ann',
      decided_at: at,
      note: 'fine',
      reason: null,
    });
    expect(decided.wake_due_at).toBe(at);
    expect(woken).toEqual([task_id]);
  });

  it('the same decision again changes nothing; another one is refused and says what stands', async () => {
    const { desk, ask, clock } = await openRoom(kind);
    const { approval_id } = await ask();
    const first = await desk.reject(approval_id, { by: 'ann', reason: 'no' });
    clock.advance(1000);
    expect(await desk.reject(approval_id, { by: 'bob', reason: 'other words' })).toEqual(first);
    const refused = { code: 'INVALID_STATE', details: { field: 'approval_id', details: { status: 'rejected' } } };
    await expect(desk.approve(approval_id, { by: 'bob' })).rejects.toMatchObject(refused);
    await expect(desk.ask(approval_id, { by: 'bob', question: 'why?' })).rejects.toMatchObject(refused);
  });

  it('of fifty operators at once one decides', async () => {
    const { desk, ask, read } = await openRoom(kind);
    const { approval_id } = await ask();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        i % 2 === 0
          ? desk.approve(approval_id, { by: `ann ${i}` })
          : desk.reject(approval_id, { by: `bob ${i}`, reason: 'no' }),
      ),
    );
    const { status, decided_by, revision } = (await read(approval_id)) ?? {};
    expect(revision).toBe(2);
    expect(decided_by).toMatch(status === 'approved' ? /^ann/ : /^bob/);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(25);
  });

  it('one question is open at a time; the same one again changes nothing, and a decision needs no answer', async () => {
    const { desk, ask } = await openRoom(kind);
    const { approval_id } = await ask();
    const asked = await desk.ask(approval_id, { by: 'ann', question: 'Which page?' });
    expect(asked).toMatchObject({ status: 'asked', questions: [{ question: 'Which page?', asked_by: 'ann' }] });
    expect(await desk.ask(approval_id, { by: 'ann', question: 'Which page?' })).toEqual(asked);
    await expect(desk.ask(approval_id, { by: 'ann', question: 'And why?' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    expect(await desk.approve(approval_id, { by: 'ann' })).toMatchObject({ status: 'approved' });
  });

  it('an unknown approval is NOT_FOUND', async () => {
    const { desk } = await openRoom(kind);
    const unknown = { code: 'NOT_FOUND', details: { field: 'approval_id' } };
    await expect(desk.show('apr_x')).rejects.toMatchObject(unknown);
    await expect(desk.approve('apr_x', { by: 'ann' })).rejects.toMatchObject(unknown);
  });

  it('a wake-up that fails loses nothing: the decision stands, and the task is woken until it has acted', async () => {
    let isAway = true;
    const { desk, ask, woken, clock, read } = await openRoom(kind, {
      wakes: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(true)),
    });
    const { approval_id, task_id } = await ask();
    expect(await desk.approve(approval_id, { by: 'ann' })).toMatchObject({ status: 'approved' });
    isAway = false;
    clock.advance(10_000);
    expect(await desk.wakeDue(10_000)).toBe(1);
    expect(await desk.wakeDue(10_000)).toBe(0);
    clock.advance(10_000);
    expect(await desk.wakeDue(10_000)).toBe(1);
    expect(woken).toEqual([task_id, task_id, task_id]);
    expect((await read(approval_id))?.wake_due_at).toBe(toTimestamp(clock.now()));
  });

  it('a decision that no task waits for is put away', async () => {
    const { desk, ask, clock, read } = await openRoom(kind, { wakes: () => Promise.resolve(false) });
    const { approval_id } = await ask();
    await desk.approve(approval_id, { by: 'ann' });
    clock.advance(10_000);
    await desk.wakeDue(10_000);
    expect((await read(approval_id))?.wake_due_at).toBeNull();
  });

  it.each(['before', 'after'] as const)(
    'killed %s the one write of a decision, a second click decides',
    async (when) => {
      const room = await openRoom(kind);
      const { approval_id, task_id } = await room.ask();
      const dies = () => Promise.reject(new Error('killed'));
      const store = withStoreHooks(await room.another(), { [when]: dies });
      const dying = createApprovalDesk({
        approvals: store.collection(Approvals),
        clock: room.clock,
        wake: () => Promise.resolve(true),
        termsNow: () => Promise.resolve(TERMS),
      });
      await expect(dying.approve(approval_id, { by: 'ann' })).rejects.toThrow('killed');
      if (when === 'after') {
        room.clock.advance(10_000);
        await room.desk.wakeDue(10_000);
        expect(room.woken).toEqual([task_id]);
      }
      expect(await room.desk.approve(approval_id, { by: 'bob' })).toMatchObject({
        status: 'approved',
        decided_by: when === 'after' ? 'ann' : 'bob',
        revision: when === 'after' ? 3 : 2,
      });
    },
  );

  describe('the terms that an approval grants', () => {
    const live = termsOf(10_100_000);

    it('[B15.grant] are those it was asked with, or under their digest those it would come to now', async () => {
      const { desk, ask, read } = await openRoom(kind, { termsNow: () => Promise.resolve(live) });
      const [first, second] = [await ask(), await ask()];
      await desk.approve(first.approval_id, { by: 'ann' });
      await desk.approve(second.approval_id, { by: 'ann', digest: live.digest });
      expect((await read(first.approval_id))?.grant).toEqual(TERMS);
      expect((await read(second.approval_id))?.grant).toEqual(live);
      expect((await read(second.approval_id))?.asked_terms).toEqual(TERMS);
    });

    it('[B15.grant] of another digest than now are refused, and nothing is decided', async () => {
      let now: ApprovalGrant | undefined = live;
      const { desk, ask, read, woken } = await openRoom(kind, { termsNow: () => Promise.resolve(now) });
      const { approval_id } = await ask();
      const decide = () => desk.approve(approval_id, { by: 'ann', digest: TERMS.digest });
      const details = { digest: live.digest };
      await expect(decide()).rejects.toMatchObject({ code: 'CONFLICT', details: { field: 'digest', details } });
      now = undefined;
      await expect(decide()).rejects.toMatchObject({ code: 'CONFLICT', details: { field: 'approval_id' } });
      expect(await read(approval_id)).toMatchObject({ status: 'pending', revision: 1 });
      expect(woken).toEqual([]);
    });

    it('do not change once they are granted: the same digest again changes nothing, another one is refused', async () => {
      let now = live;
      const { desk, ask } = await openRoom(kind, { termsNow: () => Promise.resolve(now) });
      const { approval_id } = await ask();
      const first = await desk.approve(approval_id, { by: 'ann', digest: live.digest });
      now = termsOf(1);
      for (const digest of [undefined, live.digest]) {
        expect(await desk.approve(approval_id, { by: 'bob', digest })).toEqual(first);
      }
      for (const { digest } of [now, TERMS]) {
        const refused = { code: 'INVALID_STATE', details: { details: { status: 'approved' } } };
        await expect(desk.approve(approval_id, { by: 'bob', digest })).rejects.toMatchObject(refused);
      }
    });

    it('of a row of 0.1.0 are at most the total that it says', async () => {
      const { desk, ask, read } = await openRoom(kind, { termsNow: () => Promise.resolve(live) });
      const { approval_id } = await ask({ asked_terms: undefined });
      await desk.approve(approval_id, { by: 'ann' });
      expect((await read(approval_id))?.grant).toEqual({ ...live, total_minor: 7_500_000 });
    });

    it('[B15.grant] no one decides about a round that is superseded; the refusal names the one that asks again', async () => {
      const { desk, ask, read } = await openRoom(kind);
      const { approval_id, task_id } = await ask({ status: 'superseded' });
      const superseded_by = approvalIdOf(task_id, 2);
      expect(superseded_by).toBe(`${approval_id}_2`);
      const refused = {
        code: 'INVALID_STATE',
        message: expect.stringContaining(superseded_by) as string,
        details: { field: 'approval_id', details: { status: 'superseded', superseded_by } },
      };
      await expect(desk.approve(approval_id, { by: 'ann' })).rejects.toMatchObject(refused);
      await expect(desk.reject(approval_id, { by: 'ann', reason: 'no' })).rejects.toMatchObject(refused);
      await expect(desk.ask(approval_id, { by: 'ann', question: 'why?' })).rejects.toMatchObject(refused);
      expect(await read(approval_id)).toMatchObject({ status: 'superseded', revision: 1 });
    });
  });
});
