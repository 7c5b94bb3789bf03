import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { isSameUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { Dialect } from '../../runtime/registration.ts';
import type { BuyerAccount } from '../../sales/account/account.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { buyChannel } from '../registration/buy-channel.ts';
import type { Webhooks } from '../webhooks.ts';
import type { NotificationConfig } from './notification-config.ts';
import {
  accountIdOfRegistration,
  isSameSubscription,
  registrationIdOf,
  subscriptionsIn,
  withSubscriptions,
} from './subscription.ts';
import type { Subscription, Subscriptions } from './subscription.ts';
import { ACCOUNT_NOTIFICATION, tellChanges } from './tell-changes.ts';
import type { TellDependencies } from './tell-changes.ts';

export interface AccountWebhooksDependencies extends TellDependencies {
  webhooks: Pick<Webhooks, 'send' | 'end' | 'challenge' | 'sealBuyChannel'>;
  sealer: Sealer;
}

/** Who is to hear of an account, as a request asks for it. */
export interface AskedSubscriptions {
  /** All of them, sealed, in place of those before. */
  configs: readonly NotificationConfig[];
  /** The request, and its place in it: later ones sort behind, and the same again is the same. */
  set_by: string;
  dialect?: Dialect | undefined;
}

/** What became of an account by such a request. */
export interface SetSubscriptions {
  account: BuyerAccount;
  action: 'updated' | 'unchanged';
}

/** The webhooks of accounts (rule D5.accounts). */
export interface AccountWebhooks {
  /** A configuration, checked and with its secrets sealed. @throws {AppError} naming a part of `field`. */
  seal(config: NotificationConfig, field: string): NotificationConfig;
  /** The account as it would be; no receiver is asked. */
  wouldBe(account: BuyerAccount, asked: AskedSubscriptions): SetSubscriptions;
  /**
   * Sets who hears of an account, which is stored with it where it is not yet. Receivers that have not agreed to that before are asked first;
   * one that does not agree leaves all as it was. May be repeated.
   * @throws {AppError} with a field below `notification_configs`.
   */
  set(account: BuyerAccount, asked: AskedSubscriptions): Promise<SetSubscriptions>;
  /** See {@link tellChanges}. */
  tellDue(): Promise<number>;
  /** A receiver answered 410: where it heard of an account, it does no more. */
  endGone(delivery: Delivery): Promise<void>;
}

export function createAccountWebhooks(deps: AccountWebhooksDependencies): AccountWebhooks {
  const { accounts, clock, sealer, webhooks } = deps;

  /** As they would be, proved as far as those before are. Undefined where the request has been done, or a later one. */
  function planned(account: BuyerAccount, { configs, set_by, dialect }: AskedSubscriptions): Subscriptions | undefined {
    const before = subscriptionsIn(account);
    if (before !== undefined && before.set_by >= set_by) return undefined;
    const created_at = toTimestamp(clock.now());
    const subscribers = configs.map(({ subscriber_id, event_types, active, ...config }): Subscription => {
      const registration = {
        ...buyChannel(config, registrationIdOf(account.account_id, subscriber_id), created_at),
        ...(dialect !== undefined && { dialect }),
      };
      const one = { subscriber_id, event_types, active, is_proved: false, registration };
      const known = before?.subscribers.find((other) => isSameSubscription(sealer, one, other));
      return known === undefined || known.registration.ended_at !== undefined ? one : { ...known, active };
    });
    const isLive = (id: string) => subscribers.some(({ subscriber_id, active }) => subscriber_id === id && active);
    const silenced = (before?.subscribers ?? []).map(({ subscriber_id }) => subscriber_id).filter((id) => !isLive(id));
    return { subscribers, set_by, silenced };
  }

  async function proved(account: BuyerAccount, plan: Subscriptions): Promise<Subscriptions> {
    const { organization_id, account_id } = account;
    // One after another: a receiver that is new to this agent is told nothing else until it has taken something.
    for (const [i, subscription] of plan.subscribers.entries()) {
      if (!subscription.active || subscription.is_proved) continue;
      const field = `notification_configs[${i}].url`;
      const wrong = await webhooks.challenge({ organization_id, account_id, subscription }).catch((error: unknown) => {
        throw error instanceof AppError ? at(field, error) : error;
      });
      if (wrong === undefined) continue;
      throw new AppError('VALIDATION_ERROR', `${field}: the receiver did not agree to hear of the account: ${wrong}`, {
        field,
        suggestion:
          'answer the signed POST of type webhook.challenge by 200 and {"challenge": …} with the text that it holds, or send active: false',
      });
    }
    const subscribers = plan.subscribers.map((one) => ({ ...one, is_proved: one.is_proved || one.active }));
    return { ...plan, subscribers };
  }

  async function silence({ organization_id, account_id }: BuyerAccount, ids: readonly string[]): Promise<void> {
    for (const id of ids) await webhooks.end({ organization_id, registration_id: registrationIdOf(account_id, id) });
  }

  return {
    seal: (config, field) => webhooks.sealBuyChannel(config, field),
    wouldBe(account, asked) {
      const plan = planned(account, asked);
      if (plan === undefined || isAlike(subscriptionsIn(account), plan)) return { account, action: 'unchanged' };
      return { account: withSubscriptions(account, plan), action: 'updated' };
    },
    async set(account, asked) {
      for (let known = account; ;) {
        const plan = planned(known, asked);
        const before = subscriptionsIn(known);
        if (plan === undefined || isAlike(before, plan)) {
          const isDone = before?.set_by === asked.set_by;
          if (isDone) await silence(known, before.silenced);
          return { account: known, action: isDone ? 'updated' : 'unchanged' };
        }
        const next = withSubscriptions(known, await proved(known, plan));
        const stored = await accounts.get(known.account_id);
        if (stored === undefined) {
          if ((await accounts.insert(next)).inserted) return { account: next, action: 'updated' };
        } else if (isSameText(stored.subscriptions, known.subscriptions)) {
          const at = toTimestamp(clock.now());
          const { subscriptions, is_heard } = next;
          const row = await accounts.replace({ ...stored, ...{ subscriptions, is_heard, updated_at: at } });
          if (row !== undefined) {
            await silence(row, plan.silenced);
            return { account: row, action: 'updated' };
          }
        }
        known = (await accounts.get(known.account_id)) ?? known;
      }
    },
    tellDue: () => tellChanges(deps),
    async endGone({ task_type, organization_id, registration_id, url }) {
      const account_id = accountIdOfRegistration(registration_id);
      if (task_type !== ACCOUNT_NOTIFICATION || account_id === undefined) return;
      const ended_at = toTimestamp(clock.now());
      await accounts.update(account_id, (row) => {
        const all = subscriptionsIn(row);
        const isMeant = ({ active, registration: one }: Subscription) =>
          active && one.registration_id === registration_id && isSameUrl(sealer, one.url, url);
        if (all?.subscribers.some(isMeant) !== true) return undefined;
        const ended = (one: Subscription) => ({
          ...one,
          ...{ active: false, is_proved: false, registration: { ...one.registration, ended_at } },
        });
        return withSubscriptions(row, {
          ...all,
          subscribers: all.subscribers.map((one) => (isMeant(one) ? ended(one) : one)),
        });
      });
      await webhooks.end({ organization_id, registration_id, url });
    },
  };
}

/** The same refusal, of this field. */
function at(field: string, error: AppError): AppError {
  return new AppError(error.code, error.message.replace(/^url\b/, field), { ...error.details, field });
}

function isSameText(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

/** Whether a request asks for what is there. */
function isAlike(before: Subscriptions | undefined, { subscribers }: Subscriptions): boolean {
  return canonicalJson(before?.subscribers ?? []) === canonicalJson(subscribers);
}
