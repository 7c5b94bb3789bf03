import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_MINOR } from '../../../src/platform/money.ts';
import { claimCredit, committedIn, overCredit } from '../../../src/sales/credit/credit.ts';
import type { CreditDependencies } from '../../../src/sales/credit/credit.ts';
import { creditKey, CreditLedgers } from '../../../src/sales/credit/credit-ledger.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import { installation } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { spoilRow } from '../../support/spoil-row.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { describeOnStores } from '../../support/stores.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const CREDIT = 1_000;

describeOnStores('[B3.credit] the credit of a buyer, on %s', (kind) => {
  let at: Installation;
  let organizations = 0;
  let made = 0;
  beforeAll(async () => {
    at = await installation([MediaBuys, CreditLedgers], kind);
  });
  afterAll(() => at.close());

  /** An organization of its own, with a credit of 10.00 USD unless said otherwise. */
  function buyer(credit: Record<string, number> = { USD: CREDIT }, store = at.store) {
    organizations += 1;
    const organization_id = organizationId(`org_${organizations}`);
    const deps: CreditDependencies = {
      mediaBuys: store.collection(MediaBuys),
      ledgers: store.collection(CreditLedgers),
      limitsOf: () => Promise.resolve({ approvalOver: new Map(), credit: new Map(Object.entries(credit)) }),
    };
    const bought = (total_budget_minor: number, changes: Partial<MediaBuy> = {}) => {
      made += 1;
      return sampleMediaBuy({
        ...{ organization_id, total_budget_minor, flight_due_at: null, reporting_due_at: null },
        ...{ media_buy_id: mediaBuyId(`mb_${made}`), task_id: taskId(`task_${made}`), buyer_ref: `ref-${made}` },
        ...changes,
      });
    };
    const commitment = ({ media_buy_id, currency, total_budget_minor }: MediaBuy) => ({
      ...{ organization_id, media_buy_id, currency, total_minor: total_budget_minor },
    });
    const claim = (buy: MediaBuy, row_version = 0) => claimCredit(deps, commitment(buy), row_version);
    /** As a task does: whether it was given the credit, and booked. */
    const book = async (buy: MediaBuy): Promise<boolean> => {
      const isGiven = await claim(buy).then(
        () => true,
        () => false,
      );
      if (isGiven) await deps.mediaBuys.insert(buy);
      return isGiven;
    };
    const committed = (upTo = Infinity) => committedIn(deps, { organization_id, currency: 'USD', upTo });
    return { deps, organization_id, bought, commitment, claim, book, committed };
  }

  it('however many book at once, what is booked is within it, and the last of it is given where it fits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: CREDIT }), { minLength: 2, maxLength: 6 }),
        async (totals) => {
          const { bought, book, committed } = buyer();
          const given = await Promise.all(totals.map((total) => book(bought(total))));
          const sum = totals.reduce((all, total, i) => all + (given[i] === true ? total : 0), 0);
          expect(sum).toBeLessThanOrEqual(CREDIT);
          expect(await committed()).toBe(sum);
          // Nobody was refused who would fit by now: what others had claimed came into their rows.
          totals.forEach((total, i) => {
            if (given[i] !== true) expect(total).toBeGreaterThan(CREDIT - sum);
          });
        },
      ),
      { numRuns: 15 },
    );
  });

  it('a claim counts until the row is written, and is nothing any more once it was, by whomever', async () => {
    const { deps, bought, claim, committed } = buyer();
    const first = bought(600);
    await claim(first);
    expect(await committed()).toBe(600);
    await expect(claim(bought(401))).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
    await claim(first);
    await deps.mediaBuys.insert(first);
    expect(await committed()).toBe(600);

    const row = await deps.mediaBuys.get(first.media_buy_id);
    await claim({ ...first, total_budget_minor: 900 }, row?.row_version);
    expect(await committed()).toBe(900);
    await deps.mediaBuys.update(first.media_buy_id, (buy) => ({ ...buy, updated_at: '2026-03-03T09:00:00.000Z' }));
    expect(await committed()).toBe(600);
    await deps.mediaBuys.update(first.media_buy_id, (buy) => ({ ...buy, status: 'canceled', open: false }));
    expect(await committed()).toBe(0);
    await claim(bought(CREDIT));
  });

  it('a task that died before its row was there leaves what it claimed to the row that takes its place', async () => {
    const { deps, bought, claim, committed, organization_id } = buyer();
    const lost = bought(CREDIT);
    await claim(lost);
    await deps.mediaBuys.insert({ ...lost, status: 'canceled', pending_reason: null, open: false });
    expect(await committed()).toBe(0);
    const next = bought(10);
    await claim(next);
    // What is nothing any more does not stay.
    expect((await deps.ledgers.get(creditKey(organization_id, 'USD')))?.claims).toEqual([
      { media_buy_id: next.media_buy_id, total_minor: 10, row_version: 0 },
    ]);
  });

  it('a change on its way counts as if it had come, where that is more', async () => {
    const { deps, bought, committed } = buyer();
    const buy = bought(500);
    const [line] = buy.packages;
    const change = (budget_minor: number) => ({
      open_change: {
        ...{ kind: 'update' as const, task_id: null, order: null, opened_at: '2026-03-03T09:00:00.000Z' },
        change: {
          packages: buy.packages.map(({ package_id }) => ({
            package_id,
            budget_minor: package_id === line?.package_id ? budget_minor : 0,
          })),
          ...{ affected_packages: [], changes: [] },
        },
      },
    });
    await deps.mediaBuys.insert({ ...buy, ...change(700) });
    expect(await committed()).toBe(700);
    await deps.mediaBuys.update(buy.media_buy_id, (row) => ({ ...row, ...change(300) }));
    expect(await committed()).toBe(500);
  });

  it('what comes between the look and the claim is looked at again', async () => {
    const interposed: { book?: () => Promise<boolean> } = {};
    const store = withStoreHooks(at.store, {
      async before({ collection }) {
        const { book } = interposed;
        if (collection !== CreditLedgers.name || book === undefined) return;
        delete interposed.book;
        expect(await book()).toBe(true);
      },
    });
    const { bought, book, claim, committed } = buyer(undefined, store);
    interposed.book = () => book(bought(700));
    await expect(claim(bought(400))).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
    interposed.book = () => book(bought(100));
    await claim(bought(200));
    expect(await committed()).toBe(1_000);
  });

  it('says how much is left, and counts by currency: none is given in those that have none', async () => {
    const { deps, bought, book, commitment } = buyer();
    await book(bought(400));
    const refused = await overCredit(deps, commitment(bought(601)));
    expect(refused?.toBody()).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      recovery: 'correctable',
      message:
        'a total of 6.01 USD is above your credit: your media buys that are not over come to 4.00 USD besides, and your credit is 10.00 USD',
      suggestion: '6.00 USD or less, or ask the seller for more credit',
    });
    expect(await overCredit(deps, commitment(bought(600)))).toBeUndefined();
    const other = await overCredit(deps, commitment(bought(1, { currency: 'EUR' })));
    expect(other?.message).toContain('the seller gives you no credit in EUR');
    const unbound = buyer({});
    expect(await overCredit(unbound.deps, unbound.commitment(bought(MAX_MINOR)))).toBeUndefined();
    await unbound.claim(bought(MAX_MINOR));
    expect(await unbound.deps.ledgers.get(creditKey(unbound.organization_id, 'USD'))).toBeUndefined();
  });

  it('of two changes of one media buy the larger counts, whichever of them comes into the row', async () => {
    const { deps, bought, claim, committed } = buyer();
    const buy = bought(100);
    await deps.mediaBuys.insert(buy);
    await claim({ ...buy, total_budget_minor: 900 }, 1);
    await claim({ ...buy, total_budget_minor: 300 }, 1);
    expect(await committed()).toBe(900);
    await expect(claim(bought(101))).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
    await deps.mediaBuys.update(buy.media_buy_id, (row) => ({ ...row, total_budget_minor: 300 }));
    expect(await committed()).toBe(300);
    await claim({ ...buy, total_budget_minor: 200 }, 2);
    expect(await committed()).toBe(300);
  });

  it('what comes to more than any amount is as much as an amount can be', async () => {
    const { deps, bought, commitment, committed } = buyer();
    for (let n = 0; n < 3; n++) await deps.mediaBuys.insert(bought(MAX_MINOR));
    expect(await committed()).toBe(MAX_MINOR);
    expect((await overCredit(deps, commitment(bought(1))))?.message).toContain('9,999,999,999,999.99 USD besides');
  });

  it('nothing is given while a media buy cannot be read, since what it comes to is not nothing', async () => {
    const { deps, bought, claim, committed } = buyer();
    const buy = bought(100);
    await deps.mediaBuys.insert(buy);
    const mend = await spoilRow(() => at.another([]), MediaBuys, buy.media_buy_id, 'history');
    const uncounted = { name: 'UncountedBuysError', message: expect.stringContaining(buy.media_buy_id) as string };
    await expect(committed()).rejects.toMatchObject(uncounted);
    await expect(claim(bought(1))).rejects.toMatchObject(uncounted);
    await mend();
    await claim(bought(900));
    expect(await committed()).toBe(CREDIT);
  });

  it('of more than a page of media buys each counts', async () => {
    const { deps, bought, committed } = buyer();
    for (let n = 0; n < 120; n++) await deps.mediaBuys.insert(bought(1));
    expect(await committed()).toBe(120);
    // Whoever only looks waits for no more than so many.
    expect(await committed(120)).toBe(120);
    await expect(committed(119)).rejects.toMatchObject({ name: 'UncountedBuysError', why: 'too_many' });
  });
});
