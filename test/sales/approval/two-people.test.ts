import { afterEach, expect, it } from 'vitest';
import type { ApprovalGrant } from '../../../src/sales/approval/grant.ts';
import { isAbove } from '../../../src/sales/approval/approval-policy.ts';
import { createApprovalDesk } from '../../../src/sales/approval/approval-desk.ts';
import { Approvals } from '../../../src/sales/approval/approval.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openDesk } from '../support/open-desk.ts';
import { TERMS, termsOf } from '../support/sample-approval.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const [ANN, BOB, EVE] = ['ann', 'bob', 'eve'].map((by) => ({ by, person_id: `person_${by}` })) as [Who, Who, Who];
type Who = { by: string; person_id: string };
const KEY = { by: 'OPERATOR_API_KEY', person_id: null };

/** The desk of a house in which more than 50,000 dollars take two people; both may change. */
function house(kind: Parameters<typeof openDesk>[0]) {
  const world = {
    over: new Map([['USD', 5_000_000]]),
    now: TERMS as ApprovalGrant | undefined,
    gone: new Set<string>(),
  };
  const twoPeople = {
    areNeeded: (total: number, currency: string) => isAbove(world.over, total, currency),
    mayApprove: (person_id: string) => Promise.resolve(!world.gone.has(person_id)),
  };
  const termsNow = () => Promise.resolve(world.now);
  return openDesk(kind, cleanUp, { twoPeople, termsNow }).then((room) => ({ ...room, world, twoPeople, termsNow }));
}

describeOnStores('an approval that takes two people, on %s', (kind) => {
  it('[B15.two] stays open after the first yes, which wakes nothing, and is granted by that of somebody else', async () => {
    const { desk, ask, woken } = await house(kind);
    const { approval_id, task_id } = await ask();
    const first = await desk.approve(approval_id, { ...ANN, note: 'a good customer' });
    expect(first).toMatchObject({
      ...{ status: 'pending', decided_by: null, decided_at: null, wake_due_at: null },
      first_yes: { ...ANN, note: 'a good customer', grant: TERMS },
    });
    expect(first.grant).toBeUndefined();
    expect(woken).toEqual([]);
    // The same yes again, also by another key of hers.
    expect(await desk.approve(approval_id, { ...ANN, by: 'Ann from home' })).toEqual(first);
    expect(await desk.approve(approval_id, { ...ANN, digest: TERMS.digest })).toEqual(first);
    const second = await desk.approve(approval_id, { ...BOB, note: 'fine' });
    expect(second).toMatchObject({
      ...{ status: 'approved', grant: TERMS, decided_by: 'ann and bob', note: 'a good customer\nfine' },
      first_yes: { by: 'ann' },
    });
    expect(woken).toEqual([task_id]);
    expect(await desk.approve(approval_id, EVE)).toEqual(second);
  });

  it('[B15.two] counts people: what stands for no one person approves nothing there, and may reject', async () => {
    const { desk, ask, read } = await house(kind);
    const { approval_id } = await ask();
    for (const nobody of [KEY, { by: 'a program' }]) {
      await expect(desk.approve(approval_id, nobody)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    await desk.approve(approval_id, ANN);
    await expect(desk.approve(approval_id, KEY)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await read(approval_id)).toMatchObject({ status: 'pending', first_yes: ANN });
    expect(await desk.reject(approval_id, { ...KEY, reason: 'no' })).toMatchObject({ status: 'rejected' });
    await expect(desk.approve(approval_id, BOB)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('[B15.two] a first yes to other terms than now counts for nothing, and who has not looked again is told so', async () => {
    const { desk, ask, read, world } = await house(kind);
    const { approval_id } = await ask();
    await desk.approve(approval_id, ANN);
    const dearer = termsOf(9_900_000);
    world.now = dearer;
    for (const who of [BOB, ANN, { ...BOB, digest: TERMS.digest }]) {
      await expect(desk.approve(approval_id, who)).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { field: 'digest', details: { digest: dearer.digest } },
      });
    }
    // Bob has looked: his is the first to these terms now, and Ann's the second.
    const bob = await desk.approve(approval_id, { ...BOB, digest: dearer.digest });
    expect(bob).toMatchObject({ status: 'pending', first_yes: { by: 'bob', grant: dearer } });
    world.now = undefined;
    await expect(desk.approve(approval_id, ANN)).rejects.toMatchObject({ code: 'CONFLICT' });
    world.now = dearer;
    await desk.approve(approval_id, ANN);
    expect(await read(approval_id)).toMatchObject({ status: 'approved', grant: dearer, decided_by: 'bob and ann' });
  });

  it('[B15.two] the first yes of somebody who may approve no more counts for nothing', async () => {
    const { desk, ask, world } = await house(kind);
    const { approval_id } = await ask();
    await desk.approve(approval_id, ANN);
    world.gone.add(ANN.person_id);
    expect(await desk.approve(approval_id, BOB)).toMatchObject({ status: 'pending', first_yes: { by: 'bob' } });
    expect(await desk.approve(approval_id, EVE)).toMatchObject({ status: 'approved', decided_by: 'bob and eve' });
  });

  it('[B15.two] what takes two is judged when a yes is given: by the setting then, and by the total after the change', async () => {
    const { desk, ask, world } = await house(kind);
    const [waits, lifted, other, exact] = [await ask(), await ask(), await ask({ currency: 'EUR' }), await ask()];
    expect(await desk.approve(other.approval_id, ANN)).toMatchObject({ status: 'pending', first_yes: { by: 'ann' } });
    await desk.approve(waits.approval_id, ANN);
    await desk.approve(lifted.approval_id, ANN);
    world.over = new Map([['USD', TERMS.total_minor]]);
    expect(await desk.approve(exact.approval_id, ANN)).toMatchObject({ status: 'approved', decided_by: 'ann' });
    expect(await desk.approve(lifted.approval_id, KEY)).toMatchObject({ status: 'approved', grant: TERMS });
    world.over = new Map([['USD', TERMS.total_minor - 1]]);
    expect(await desk.approve(waits.approval_id, ANN)).toMatchObject({ status: 'pending' });
    expect(await desk.approve(waits.approval_id, BOB)).toMatchObject({ status: 'approved' });
    // Asked with little, and more by now: who grants what it is now needs a second.
    world.now = termsOf(TERMS.total_minor);
    const crept = await ask({ asked_terms: termsOf(100), total_budget_minor: 100 });
    const { digest } = TERMS;
    expect(await desk.approve(crept.approval_id, { ...ANN, digest })).toMatchObject({ status: 'pending' });
  });

  it('[B15.two] of forty who say yes at once one is the first, one of the others the second, and no one is both', async () => {
    const { desk, ask, read } = await house(kind);
    const { approval_id } = await ask();
    const people = Array.from({ length: 40 }, (_, i) => [ANN, BOB][i % 2] ?? ANN);
    await Promise.all(people.map((who) => desk.approve(approval_id, who)));
    const { status, decided_by, revision } = (await read(approval_id)) ?? {};
    expect([status, revision]).toEqual(['approved', 3]);
    expect(['ann and bob', 'bob and ann']).toContain(decided_by);
  });

  it('[B15.two] a row of before, which says its total alone, takes two as well', async () => {
    const { desk, ask, world } = await house(kind);
    world.now = termsOf(10_100_000);
    const { approval_id } = await ask({ asked_terms: undefined });
    expect(await desk.approve(approval_id, ANN)).toMatchObject({ status: 'pending' });
    expect(await desk.approve(approval_id, BOB)).toMatchObject({
      status: 'approved',
      grant: { ...world.now, total_minor: TERMS.total_minor },
    });
  });

  it.each(['before', 'after'] as const)(
    '[B15.two] killed %s the write of the first yes, the next process goes on from what is stored',
    async (when) => {
      const room = await house(kind);
      const { clock, desk, ask, read, woken, twoPeople, termsNow } = room;
      const { approval_id } = await ask();
      const store = withStoreHooks(await room.another(), { [when]: () => Promise.reject(new Error('killed')) });
      const wake = () => Promise.resolve(true);
      const approvals = store.collection(Approvals);
      const dying = createApprovalDesk({ approvals, clock, wake, termsNow, twoPeople });
      await expect(dying.approve(approval_id, ANN)).rejects.toThrow('killed');
      expect(await read(approval_id)).toMatchObject({ status: 'pending' });
      // Her second click is her one yes.
      expect(await desk.approve(approval_id, ANN)).toMatchObject({ status: 'pending', first_yes: ANN, revision: 2 });
      expect(woken).toEqual([]);
      expect(await desk.approve(approval_id, BOB)).toMatchObject({ status: 'approved', revision: 3 });
    },
  );
});
