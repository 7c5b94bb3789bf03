import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import { parseJson } from '../../platform/intake/parse-json.ts';
import type { MembershipTier, SubscriptionStatus } from '../organization/organization.ts';
import type { BillingProvider, SubscriptionEvent } from './billing-provider.ts';
import { verifyEvent } from './event-signature.ts';

export interface StripeDeps {
  /** `sk_…`; never logged. */
  secretKey: string;
  /** `whsec_…`, of the endpoint `/api/billing/events`. */
  webhookSecret: string;
  prices: ReadonlyMap<string, MembershipTier>;
  /** Where Stripe's API is; no slash at the end. */
  apiUrl: string;
  /** Where people come back to. */
  baseUrl: () => string;
  outbound: Pick<Outbound, 'send'>;
  clock: Clock;
  ids: Ids;
  log: Logger;
}

const Session = z.object({ id: z.string(), url: z.url(), expires_at: z.number() });

/** What is read of an event about a subscription. Where it was made by us, its metadata name the organization. */
const Event = z.object({ id: z.string(), type: z.string(), created: z.number() });
const Subscription = z.object({
  id: z.string(),
  status: z.string(),
  metadata: z.record(z.string(), z.string()),
  items: z.object({ data: z.array(z.object({ price: z.object({ id: z.string() }) })).min(1) }),
});

/** Stripe's statuses in ours: what ended or never began, and what is on hold. */
const STATUSES: Readonly<Record<string, SubscriptionStatus>> = {
  active: 'active',
  past_due: 'past_due',
  trialing: 'trialing',
  canceled: 'canceled',
  unpaid: 'unpaid',
  incomplete: 'incomplete',
  incomplete_expired: 'canceled',
  paused: 'unpaid',
};

const SUBSCRIPTION_EVENT = /^customer\.subscription\.(created|updated|deleted|paused|resumed)$/;

/** Subscriptions through Stripe's hosted checkout. */
export function stripeProvider(deps: StripeDeps): BillingProvider<'stripe'> {
  const { secretKey, webhookSecret, prices, apiUrl, baseUrl, outbound, clock, ids, log } = deps;
  return {
    name: 'stripe',
    prices,

    async createSession({ organization_id, price_id }) {
      const form = new URLSearchParams({
        mode: 'subscription',
        'line_items[0][price]': price_id,
        'line_items[0][quantity]': '1',
        client_reference_id: organization_id,
        'subscription_data[metadata][org_id]': organization_id,
        success_url: `${baseUrl()}/docs?checkout=done`,
        cancel_url: `${baseUrl()}/docs?checkout=canceled`,
      });
      const result = await outbound.send({
        url: `${apiUrl}/v1/checkout/sessions`,
        method: 'POST',
        headers: {
          authorization: `Bearer ${secretKey}`,
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': ids.newId(),
        },
        body: form.toString(),
        maxResponseBytes: 262_144,
      });
      const session = result.kind === 'response' && result.status === 200 ? sessionOf(result.body) : undefined;
      if (session === undefined) {
        const outcome = result.kind === 'response' ? result.status : result.kind;
        log.error({ outcome, price_id }, 'Stripe made no checkout session');
        throw new AppError('SERVICE_UNAVAILABLE', 'the billing provider made no session; try again', {
          retry_after: 30,
        });
      }
      return { session_id: session.id, url: session.url, expires_at: toTimestamp(session.expires_at * 1000) };
    },

    readEvent(body, header) {
      verifyEvent(body, header('stripe-signature'), webhookSecret, clock.now());
      return eventOf(parseJson(body).value);
    },
  };
}

function sessionOf(body: Buffer): z.infer<typeof Session> | undefined {
  try {
    return Session.parse(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** Undefined for what is no subscription of ours. */
function eventOf(json: unknown): SubscriptionEvent | undefined {
  const { id, type, created } = Event.parse(json);
  if (!SUBSCRIPTION_EVENT.test(type)) return undefined;
  const { object } = z.object({ data: z.object({ object: Subscription }) }).parse(json).data;
  const { org_id } = object.metadata;
  const status = type.endsWith('.deleted') ? 'canceled' : STATUSES[object.status];
  const price_id = object.items.data[0]?.price.id;
  if (org_id === undefined || status === undefined || price_id === undefined) return undefined;
  return {
    ...{ event_id: id, occurred_at: created * 1000, status, price_id },
    organization_id: OrganizationId.parse(org_id),
    subscription_id: object.id,
  };
}
