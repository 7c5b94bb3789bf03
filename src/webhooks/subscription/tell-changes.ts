import { eachAtOnce } from '../../platform/each-at-once.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { BuyerAccount } from '../../sales/account/account.ts';
import { creativeKey } from '../../sales/creative/creative.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { creativeRef } from '../../sales/creative/creative-ref.ts';
import { withTold } from '../../sales/status-change.ts';
import type { StatusChange } from '../../sales/status-change.ts';
import type { OutgoingEvent } from '../delivery/create-delivery.ts';
import type { Webhooks } from '../webhooks.ts';
import { accountChangeBody, creativeChangeBody } from './change-body.ts';
import type { ToldSubscriber } from './change-body.ts';
import type { AccountEvent } from './notification-config.ts';
import { subscriptionsIn } from './subscription.ts';
import type { Subscription } from './subscription.ts';

export interface TellDependencies {
  accounts: Collection<BuyerAccount>;
  creatives: Collection<Creative>;
  webhooks: Pick<Webhooks, 'send' | 'end'>;
  clock: Clock;
  ids: Ids;
  log: Logger;
}

/** What the `task_type` of these webhooks is: no task is called so. */
export const ACCOUNT_NOTIFICATION = 'account_notification';

/** Rows of a kind looked at in one go, and how many at once. */
const BATCH = 200;
const AT_ONCE = 8;

const UNTOLD = { where: { untold_since: { gt: '' } }, sort: { field: 'untold_since', direction: 'asc' } } as const;

/**
 * Tells subscribers what became of creatives and accounts (rule D5.accounts). A change stands in the row that changed until its deliveries are
 * stored, each under an id made from change and subscriber: any number of processes may do this at once, and be killed anywhere. Answers how
 * many rows there were.
 */
export async function tellChanges(deps: TellDependencies): Promise<number> {
  const { accounts, creatives } = deps;
  const [moved, changed] = await Promise.all([
    accounts.find({ ...UNTOLD, limit: BATCH }),
    creatives.find({ ...UNTOLD, limit: BATCH }),
  ]);
  const heard = new Map<OrganizationId, Promise<Hearing>>();
  const hearingOf = (organization_id: OrganizationId) => {
    const known = heard.get(organization_id) ?? hearing(deps, organization_id);
    heard.set(organization_id, known);
    return known;
  };
  await eachAtOnce(moved.rows, AT_ONCE, (row) =>
    settled(deps, accounts, row.account_id, row, () => tellOfAccount(deps, row)),
  );
  await eachAtOnce(changed.rows, AT_ONCE, (row) =>
    settled(deps, creatives, row.creative_key, row, async () =>
      tellOfCreative(deps, row, await hearingOf(row.organization_id)),
    ),
  );
  return moved.rows.length + changed.rows.length;
}

type Untold = Pick<Creative, 'untold' | 'untold_since' | 'revision'>;

/** Tells of one row and notes that; what failed is tried again behind the others. */
async function settled<R extends Untold>(
  { clock, log }: TellDependencies,
  rows: Pick<Collection<R>, 'update'>,
  key: string,
  row: R,
  tell: () => Promise<void>,
): Promise<void> {
  try {
    await tell();
    await rows.update(key, (stored) => withTold(stored, row.untold ?? []));
  } catch (error) {
    log.warn({ err: error, key }, 'subscribers of an account could not be told; trying again');
    const untold_since = toTimestamp(clock.now());
    await rows
      .update(key, (stored) => (stored.untold_since ? { ...stored, untold_since } : undefined))
      .catch(() => undefined);
  }
}

/** An account, and who of it hears. */
interface Heard {
  account: BuyerAccount;
  subscribers: readonly Subscription[];
}

interface Hearing {
  heard: readonly Heard[];
  /** Accounts that cannot be read: nobody knows who of them hears. */
  skipped: readonly string[];
}

async function hearing({ accounts }: TellDependencies, organization_id: OrganizationId): Promise<Hearing> {
  const [heard, skipped]: [Heard[], string[]] = [[], []];
  const sort = { field: 'created_at', direction: 'asc' } as const;
  const onSkipped = (keys: readonly string[]) => void skipped.push(...keys);
  for await (const account of allRows(accounts, { where: { organization_id, is_heard: true }, sort, onSkipped })) {
    try {
      heard.push({ account, subscribers: subscriptionsIn(account)?.subscribers ?? [] });
    } catch {
      skipped.push(account.account_id);
    }
  }
  return { heard, skipped };
}

async function tellOfAccount(deps: TellDependencies, account: BuyerAccount): Promise<void> {
  const one = { account, subscribers: subscriptionsIn(account)?.subscribers ?? [] };
  await send(deps, account.untold ?? [], [one], 'account.status_changed', accountChangeBody);
}

async function tellOfCreative(deps: TellDependencies, creative: Creative, hearing: Hearing): Promise<void> {
  const seeing = await whoSee(deps, creative, hearing.heard);
  await send(deps, creative.untold ?? [], seeing, 'creative.status_changed', (change, telling) =>
    creativeChangeBody(change, creative.creative_id, telling),
  );
  const { account_id: owner } = creative;
  if (hearing.skipped.some((account_id) => owner === undefined || owner === account_id))
    throw new Error('an account that may hear of it cannot be read');
}

/** The accounts that a creative's id means it to: its owner, or of a shared one all that have none of their own by that id. */
async function whoSee(
  { creatives }: TellDependencies,
  { organization_id, account_id: owner, creative_id }: Creative,
  heard: readonly Heard[],
): Promise<readonly Heard[]> {
  if (owner !== undefined) return heard.filter(({ account }) => account.account_id === owner);
  const ownKey = ({ account: { account_id } }: Heard) =>
    creativeKey(organization_id, creativeRef({ account_id, creative_id }));
  const own = heard.length === 0 ? undefined : await creatives.getField(heard.map(ownKey), 'creative_id');
  return heard.filter((one) => own?.has(ownKey(one)) !== true);
}

/** Makes the deliveries of changes to all who hear of them. Who was told no more meanwhile is not. */
async function send(
  deps: TellDependencies,
  changes: readonly StatusChange[],
  heard: readonly Heard[],
  event: AccountEvent,
  bodyOf: (change: StatusChange, telling: ToldSubscriber) => object,
): Promise<void> {
  const isMeant = ({ active, event_types }: Subscription) => active && event_types.includes(event);
  for (const { account, subscribers } of heard) {
    const meant = subscribers.filter(isMeant);
    if (meant.length === 0) continue;
    const { organization_id, account_id } = account;
    await deps.webhooks.send(
      changes.flatMap((change) =>
        meant.map(({ subscriber_id, registration: target }): OutgoingEvent => {
          const idempotency_key = deps.ids.newId();
          const telling = { idempotency_key, subscriber_id, account_id, fired_at: toTimestamp(deps.clock.now()) };
          return {
            ...{ organization_id, task_id: change.notification_id, task_type: ACCOUNT_NOTIFICATION, subject_id: null },
            ...{ sequence: 1, event, target, idempotency_key, body: JSON.stringify(bodyOf(change, telling)) },
          };
        }),
      ),
    );
    const now = await currentSubscribers(deps, account);
    for (const { registration } of meant) {
      const { registration_id } = registration;
      if (!now.some((one) => isMeant(one) && one.registration.registration_id === registration_id))
        await deps.webhooks.end({ organization_id, registration_id });
    }
  }
}

async function currentSubscribers(
  { accounts }: TellDependencies,
  account: BuyerAccount,
): Promise<readonly Subscription[]> {
  if (await accounts.isCurrent(account)) return subscriptionsIn(account)?.subscribers ?? [];
  const now = await accounts.get(account.account_id);
  return (now && subscriptionsIn(now)?.subscribers) ?? [];
}
