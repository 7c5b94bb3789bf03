import { z } from 'zod';
import { withoutQuery } from '../../platform/outbound/without-query.ts';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { UnreadableRowError } from '../../platform/store/collection-rows.ts';
import { tolerantSchema } from '../../platform/store/tolerant-schema.ts';
import { Registration } from '../../runtime/registration.ts';
import type { BuyerAccount } from '../../sales/account/account.ts';
import { sealedFor } from '../registration/webhook-target.ts';
import type { NotificationConfigView } from './notification-config.ts';

/** Somebody who hears of an account, as its row has it. */
export const Subscription = z.strictObject({
  subscriber_id: z.string(),
  event_types: z.array(z.string()),
  active: z.boolean(),
  /** Its receiver has shown that it wants to hear exactly this. */
  is_proved: z.boolean(),
  registration: Registration,
});
export type Subscription = z.infer<typeof Subscription>;

/** All who hear of an account. */
const Subscriptions = z.strictObject({
  subscribers: z.array(Subscription),
  /** Which request set them, by when it came: an earlier one that is late, or done again, changes nothing. */
  set_by: z.string(),
  /** Whom that request told no more, by their ids. */
  silenced: z.array(z.string()),
});
export type Subscriptions = z.infer<typeof Subscriptions>;

const tolerant = tolerantSchema(Subscriptions);

/** Who hears of an account; undefined where nobody was ever named. @throws {UnreadableRowError} */
export function subscriptionsIn({ account_id, subscriptions }: BuyerAccount): Subscriptions | undefined {
  if (subscriptions === undefined) return undefined;
  const parsed = tolerant.safeParse(subscriptions);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `subscriptions.${path.map(String).join('.')}: ${message}`,
  );
  throw new UnreadableRowError('accounts', account_id, problems);
}

/** The account with these who hear of it. Pure. */
export function withSubscriptions(account: BuyerAccount, subscriptions: Subscriptions): BuyerAccount {
  return { ...account, subscriptions, is_heard: subscriptions.subscribers.some(({ active }) => active) };
}

/** Who hears of an account, as its buyer is told. Pure. */
export function subscribersView(account: BuyerAccount): NotificationConfigView[] | undefined {
  return subscriptionsIn(account)?.subscribers.map(({ subscriber_id, event_types, active, registration }) => ({
    ...{ subscriber_id, url: withoutQuery(registration.url), event_types },
    ...(registration.scheme !== undefined && { authentication: { schemes: [registration.scheme] } }),
    active,
  }));
}

/** What its registration is called: with the notification, it makes a delivery one. An account's id has no dot. */
export function registrationIdOf(account_id: string, subscriber_id: string): string {
  return `${account_id}.${subscriber_id}`;
}

/** Whose subscriber a registration is; undefined where it is none's. */
export function accountIdOfRegistration(registration_id: string): string | undefined {
  return /^(acc_[0-9a-f]{32})\./.exec(registration_id)?.[1];
}

/** Whether the proof of one holds for the other: where it goes, how it is proved, and what it hears. */
export function isSameSubscription(sealer: Sealer, one: Subscription, other: Subscription): boolean {
  const [a, b] = [one, other].map(({ subscriber_id, event_types, registration: { url: stored, mode, ...sealed } }) => {
    const url = registeredUrl(sealer, stored);
    const { sealed_credentials } = sealed;
    const secret = sealed_credentials === undefined ? null : sealer.open(sealed_credentials, sealedFor(url));
    return JSON.stringify([subscriber_id, url, mode, secret, event_types.toSorted()]);
  });
  return a === b;
}
