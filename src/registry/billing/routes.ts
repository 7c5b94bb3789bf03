import { z } from 'zod';
import { canHold } from '../../directory/billing/apply-subscription.ts';
import type { BillingProvider } from '../../directory/billing/billing-provider.ts';
import { SANDBOX_SIGNATURE_HEADER } from '../../directory/billing/sandbox-provider.ts';
import type { SandboxProvider } from '../../directory/billing/sandbox-provider.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { managedOrganization } from '../auth/managed-organizations.ts';
import type { RegistryContext } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { receiveEvent } from './receive-event.ts';
import { confirmationPage, confirmedPage, endedPage, SANDBOX_STYLE_SOURCE } from './sandbox-page.ts';

const CheckoutRequest = z.object({
  price_id: z.string().min(1).max(200).describe('What to subscribe to, as the billing provider names it'),
  org_id: z.string().min(1).max(100).describe('For which organization; the caller manages it'),
});

const CheckoutAnswer = z.object({
  session_id: z.string(),
  url: z.url().describe('Where a person confirms and pays'),
  expires_at: z.string(),
  provider: z.enum(['sandbox', 'stripe']),
});

/** Begins a subscription (rules C.endpoints.checkout, R10). */
export const createCheckoutSession = endpoint({
  id: 'createCheckoutSession',
  method: 'post',
  path: '/api/checkout-session',
  tag: 'Billing',
  summary: 'Begin a subscription',
  description:
    "Of one of the prices at /api/billing/prices. Nothing changes yet: the tier is set by the billing provider's event once a person has confirmed.",
  access: 'required',
  effect: 'write',
  limit: 'checkout_session',
  body: CheckoutRequest,
  responses: { 200: { description: 'A session at the billing provider', schema: CheckoutAnswer } },

  async handle({ body: { price_id, org_id } }, { store, caller, billing }) {
    const organization = await managedOrganization(store, caller, org_id);
    const provider = configured(billing);
    const tier = provider.prices.get(price_id);
    if (tier === undefined)
      throw new AppError('INVALID_REQUEST', 'no such price; GET /api/billing/prices lists them', {
        field: 'price_id',
        suggestion: `one of ${[...provider.prices.keys()].join(', ')}`,
      });
    if (!canHold(organization, tier))
      throw new AppError('INVALID_REQUEST', 'a personal workspace cannot be on a company tier', { field: 'price_id' });
    const session = await provider.createSession({ price_id, organization_id: organization.organization_id });
    return { body: { ...session, provider: provider.name }, headers: { 'Cache-Control': 'no-store' } };
  },
});

/** Events are believed for their signature alone (rule R10). */
export const receiveBillingEvent = endpoint({
  id: 'receiveBillingEvent',
  method: 'post',
  path: '/api/billing/events',
  tag: 'Billing',
  summary: "Take a billing provider's signed event",
  description:
    'Signed by the scheme of Stripe-Signature over the bytes as they are. A repeated or late event does nothing.',
  access: 'public',
  effect: 'write',
  limit: 'billing_events',
  bodyBytes: INPUT_LIMITS.billingEventBodyBytes,
  rawBody: true,
  responses: {
    200: {
      description: 'Taken',
      schema: z.object({ received: z.literal(true), result: z.enum(['applied', 'ignored']) }),
    },
  },

  async handle({ rawBody }, call) {
    const result = await receiveEvent(call, configured(call.billing), rawBody, call.header);
    return { body: { received: true, result } };
  },
});

const SandboxParams = z.object({ sessionId: z.string().min(1).max(100) });
const PAGE = { description: 'A page', contentType: 'text/html' };
const PAGE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src ${SANDBOX_STYLE_SOURCE}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};
const SANDBOX = {
  path: '/api/billing/sandbox/{sessionId}',
  tag: 'Billing',
  access: 'public',
  limit: 'sandbox_checkout',
  params: SandboxParams,
  responses: { 200: PAGE, 404: PAGE },
} as const;

/** Shows what is to be confirmed (rule R10). */
export const showSandboxCheckout = endpoint({
  ...SANDBOX,
  id: 'showSandboxCheckout',
  method: 'get',
  summary: 'Where a person confirms a subscription without money',
  effect: 'read',

  async handle({ params }, { billing, store }) {
    const provider = sandbox(billing);
    const session = await provider.find(params.sessionId);
    if (session === undefined) return { status: 404, text: endedPage(), headers: PAGE_HEADERS };
    const page = session.confirmed_at === null ? await confirmationPage(store, provider, session) : confirmedPage();
    return { text: page, headers: PAGE_HEADERS };
  },
});

/** Sends the signed event that sets the tier (rule R10). A second confirmation sends the same event again. */
export const confirmSandboxCheckout = endpoint({
  ...SANDBOX,
  id: 'confirmSandboxCheckout',
  method: 'post',
  summary: 'Confirm a subscription without money',
  effect: 'write',

  async handle({ params }, call) {
    const provider = sandbox(call.billing);
    const event = await provider.confirm(params.sessionId);
    if (event === undefined) return { status: 404, text: endedPage(), headers: PAGE_HEADERS };
    await receiveEvent(call, provider, event.body, (name) =>
      name === SANDBOX_SIGNATURE_HEADER ? event.signature : undefined,
    );
    return { text: confirmedPage(), headers: PAGE_HEADERS };
  },
});

function configured(billing: RegistryContext['billing']): BillingProvider {
  if (billing !== undefined) return billing;
  throw new AppError('SERVICE_UNAVAILABLE', 'billing is not set up here');
}

function sandbox(billing: RegistryContext['billing']): SandboxProvider {
  if (billing?.name === 'sandbox') return billing;
  throw new AppError('NOT_FOUND', 'no sandbox billing is set up here');
}
