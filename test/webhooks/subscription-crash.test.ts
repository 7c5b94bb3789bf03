import { afterEach, expect, it } from 'vitest';
import { Accounts, knownAccount, movedAccount } from '../../src/sales/account/account.ts';
import type { BuyerAccount } from '../../src/sales/account/account.ts';
import { randomIds, toTimestamp } from '../../src/platform/clock.ts';
import { sealer } from '../../src/platform/crypto/sealer.ts';
import { decideOnCreative } from '../../src/sales/creative/review/decide.ts';
import { createAccountWebhooks } from '../../src/webhooks/subscription/subscriptions.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { silent } from '../directory/support/installation.ts';
import { openReporting, ORGANIZATION } from '../reporting/support/open-reporting.ts';
import type { OpenReporting, Worker } from '../reporting/support/open-reporting.ts';
import { mortal } from '../reporting/support/mortal-store.ts';
import { organizationId } from '../support/ids.ts';
import { SECRET } from './support/open-sender.ts';
import { describeOnStores } from '../support/stores.ts';

const organization_id = organizationId(ORGANIZATION);
const EVENTS = ['creative.status_changed' as const, 'account.status_changed' as const];

let open: OpenReporting;
afterEach(() => open.close());

/** An account with these who hear of it and, paused, one who does not. Nobody is asked: what is paused needs no proof, and is then proved. */
async function heardAccount(brand_domain: string, ids: readonly string[]): Promise<BuyerAccount> {
  const key = { brand_domain, brand_id: null, operator: brand_domain, sandbox: false };
  const configs = [...ids, 'paused'].map((subscriber_id) => ({
    ...{ subscriber_id, url: `http://127.0.0.1:9/${subscriber_id}?key=a`, event_types: EVENTS, active: false },
  }));
  const sealed = configs.map((config, i) => open.accountWebhooks.seal(config, `[${i}]`));
  const known = await knownAccount(open.sales, organization_id, key);
  const { account } = await open.accountWebhooks.set(known, { configs: sealed, set_by: '1' });
  const outcome = await open.sales.accounts.update(account.account_id, (row) => {
    const all = row.subscriptions as { subscribers: { subscriber_id: string }[] };
    const subscribers = all.subscribers.map((one) => ({
      ...one,
      ...(one.subscriber_id !== 'paused' && { active: true, is_proved: true }),
    }));
    return { ...row, subscriptions: { ...all, subscribers }, is_heard: true };
  });
  if (outcome === undefined) throw new Error('the account is gone');
  return outcome.row;
}

const tell = (worker: Worker) => worker.accountWebhooks.tellDue().catch(() => undefined);
const suspend = (to: 'approved' | 'suspended', worker: Worker = open, account_id?: string) =>
  decideOnCreative(worker.sales, { organization_id, account_id, creative_id: 'c1', to });

interface Told {
  of: string;
  event: string;
  key: string;
  state: string;
  body: Record<string, unknown>;
}

/** What was made for whom, of what kind: change and subscriber. */
async function told(): Promise<Told[]> {
  const { rows } = await open.store.collection(Deliveries).find({ where: { organization_id }, limit: 1000 });
  return rows.map(({ task_id, registration_id, event, state, idempotency_key, body }) => ({
    ...{ of: `${task_id} ${registration_id}`, event, state, key: idempotency_key },
    body: JSON.parse(body) as Record<string, unknown>,
  }));
}

async function untold(): Promise<number> {
  const where = { untold_since: { gt: '' } };
  return (await open.sales.creatives.count(where)) + (await open.sales.accounts.count(where));
}

describeOnStores('[D5.accounts] news of accounts on %s', (kind) => {
  it('is neither lost nor made twice when a process dies at any write of change or telling, and others go on', async () => {
    open = await openReporting(kind);
    const { account_id } = await heardAccount('acme.example', ['a', 'b']);
    await heardAccount('other.example', ['c']);
    let [changes, moves] = [0, 0];
    // Dying after a write is dying before the next one.
    for (let writes = 0; writes <= 8; writes++) {
      const death = writes === 0 ? mortal(1, 'before') : mortal(writes, 'after');
      const dying = await open.worker((store) => death.wrap(store));
      const status = (await open.sales.creatives.get(`${ORGANIZATION}/c1`))?.status;
      const to = status === 'approved' ? 'suspended' : 'approved';
      const moved = moves % 2 === 0 ? 'suspended' : 'active';
      await open.sales.accounts.update(account_id, (row) => movedAccount(row, moved, toTimestamp(open.clock.now())));
      moves += 1;
      // The change itself may be made or not; whether it was is in the row alone.
      await suspend(to, dying).catch(() => undefined);
      changes += (await open.sales.creatives.get(`${ORGANIZATION}/c1`))?.status === to ? 1 : 0;
      await tell(dying);
      await Promise.all([tell(open), tell(dying)]);
      await tell(open);
      expect(await untold()).toBe(0);
      open.clock.advance(1000);
    }
    const all = await told();
    expect(changes).toBe(8);
    // The creative is shared: all three hear of it; of the account its own two do.
    expect(all.filter(({ event }) => event === 'creative.status_changed')).toHaveLength(3 * changes);
    expect(all.filter(({ event }) => event === 'account.status_changed')).toHaveLength(2 * moves);
    expect(new Set(all.map(({ of }) => of)).size).toBe(all.length);
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
    expect(new Set(all.map(({ body }) => body['notification_id'])).size).toBe(changes + moves);
    expect(all.every(({ of }) => !of.endsWith('paused'))).toBe(true);
  });

  it('is told to nobody who was taken out while it was on its way, and waits for an account that cannot be read', async () => {
    open = await openReporting(kind);
    const account = await heardAccount('acme.example', ['a']);
    await suspend('suspended');
    // Between the look at who hears and the deliveries, a request takes them out.
    const racing = createAccountWebhooks({
      ...{ ...open.sales, clock: open.clock, ids: randomIds, log: silent, sealer: sealer(SECRET) },
      webhooks: {
        ...open.webhooks,
        async send(events) {
          await open.accountWebhooks.set(await present(account.account_id), { configs: [], set_by: '2' });
          await open.webhooks.send(events);
        },
      },
    });
    await racing.tellDue();
    expect((await told()).map(({ state }) => state)).toEqual(['ended']);

    await heardAccount('other.example', ['b']);
    const { account_id } = await heardAccount('third.example', ['c']);
    const mend = await open.spoil(Accounts, account_id, 'subscriptions');
    await suspend('approved');
    await tell(open);
    // Who can be read is told at once.
    expect(await told()).toHaveLength(2);
    expect(await untold()).toBe(1);
    await mend();
    await tell(open);
    expect(await untold()).toBe(0);
    expect(await told()).toHaveLength(3);
  });

  async function present(account_id: string): Promise<BuyerAccount> {
    const row = await open.sales.accounts.get(account_id);
    if (row === undefined) throw new Error('the account is gone');
    return row;
  }
});
