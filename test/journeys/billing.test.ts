import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { signEvent } from '../../src/directory/billing/event-signature.ts';
import { sandboxEventSecret } from '../../src/directory/billing/sandbox-provider.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { resolveTier } from '../../src/directory/organization/tier.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { accessToken, callAsUser, loginEnv, person } from './support/user.ts';
import { describeOnStores } from '../support/stores.ts';

let agent: TestAgent | undefined;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await agent?.stop();
  for (const close of closing.splice(0)) await close();
});

const ADA = person('ada@acme-outdoor.com');
const BOB = person('bob@bolt-media.com');
const WEBHOOK_SECRET = 'whsec_of_this_test_alone';

describeOnStores('memberships at a whole agent on %s', (store) => {
  it('[R10] [C.endpoints.checkout] are sold by the sandbox: the tier is set by the signed event after a person confirms, and by nothing before', async () => {
    agent = await startTestAgent(store, { working: false, env: { ...loginEnv([ADA, BOB]), BILLING_SANDBOX: 'true' } });
    const { token, org_id } = await newCompany(agent);
    const order = { price_id: 'price_company_icl', org_id };
    const listed: unknown = await (await fetch(`${agent.baseUrl}/api/billing/prices`)).json();
    const price = { price_id: order.price_id, membership_tier: 'company_icl', membership_tier_label: 'Partner' };
    expect(listed).toMatchObject({ provider: 'sandbox', prices: expect.arrayContaining([price]) as object[] });
    const session = await callAsUser(agent, token, '/api/checkout-session', order);
    expect(session).toMatchObject({ status: 200, body: { provider: 'sandbox' } });
    const url = String(session.body['url']);
    expect(url.startsWith(`${agent.baseUrl}/`)).toBe(true);
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await page.text()).toContain('no money moves');
    expect(await tierOf(agent, org_id)).toBeUndefined();

    const confirmed = await Promise.all(Array.from({ length: 5 }, () => fetch(url, { method: 'POST' })));
    expect(confirmed.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(await tierOf(agent, org_id)).toBe('company_icl');
    expect((await fetch(`${url}x`, { method: 'POST' })).status).toBe(404);
    const operator = await callAsUser(agent, token, '/api/registry/operator?domain=acme-outdoor.com');
    expect(operator.status).toBe(200);

    const ended = { event_id: 'evt_end', occurred_at: new Date().toISOString(), organization_id: org_id };
    const body = JSON.stringify({
      ...ended,
      ...(await subscriptionOf(agent, org_id)),
      price_id: order.price_id,
      status: 'canceled',
    });
    const header = { 'sandbox-signature': signEvent(body, sandboxEventSecret(agent.core.secret), Date.now()) };
    expect(await sendEvent(agent, body, header)).toMatchObject({ status: 200, body: { result: 'applied' } });
    expect(await tierOf(agent, org_id)).toBeUndefined();
    expect((await fetch(url, { method: 'POST' })).status).toBe(200);
    expect(await tierOf(agent, org_id)).toBeUndefined();
  });

  it('[R10] are begun only by who manages the organization, for a price there is, where billing is set up', async () => {
    const running = await startTestAgent(store, {
      working: false,
      env: { ...loginEnv([ADA, BOB]), BILLING_SANDBOX: 'true' },
    });
    agent = running;
    const { token, org_id } = await newCompany(agent);
    const checkout = (who: string, body: unknown) => callAsUser(running, who, '/api/checkout-session', body);
    const bob = await accessToken(agent, BOB, { path: '/api' });
    expect((await checkout(bob, { price_id: 'price_company_icl', org_id })).status).toBe(403);
    expect((await checkout('mk_live_nobody-nobody-nobody-nobody', { price_id: 'x', org_id })).status).toBe(401);
    expect((await checkout(token, { price_id: 'price_company_icl', org_id: 'org_unknown' })).status).toBe(403);
    expect(await checkout(token, { price_id: 'price_gold', org_id })).toMatchObject({
      status: 400,
      body: { field: 'price_id' },
    });
    expect((await checkout(token, { price_id: 'price_company_icl' })).status).toBe(400);
    const personal = await callAsUser(agent, token, '/api/organizations', {
      organization_name: 'Ada',
      is_personal: true,
    });
    const { id } = personal.body['organization'] as { id: string };
    expect((await checkout(token, { price_id: 'price_company_icl', org_id: id })).status).toBe(400);
    expect((await checkout(token, { price_id: 'price_individual_professional', org_id: id })).status).toBe(200);
    await agent.stop();
    agent = await startTestAgent(store, { working: false, env: loginEnv([ADA]) });
    const bare = await newCompany(agent);
    const refused = await callAsUser(agent, bare.token, '/api/checkout-session', {
      price_id: 'price_company_icl',
      org_id: bare.org_id,
    });
    expect(refused).toMatchObject({ status: 503, body: { error: 'billing is not set up here' } });
    expect((await sendEvent(agent, '{}', {})).status).toBe(503);
  });

  it('[R10] are sold through Stripe’s wire, and only its signed events, each once, change the tier', async () => {
    const stripe = await openStripe();
    agent = await startTestAgent(store, {
      working: false,
      env: {
        ...loginEnv([ADA, BOB]),
        STRIPE_SECRET_KEY: 'sk_test_1234567890',
        STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
        STRIPE_PRICES: 'price_1=company_standard,price_2=company_leader',
        STRIPE_API_URL: stripe.url,
      },
    });
    const at = agent;
    const { token, org_id } = await newCompany(at);
    const session = await callAsUser(at, token, '/api/checkout-session', { price_id: 'price_1', org_id });
    expect(session).toMatchObject({
      status: 200,
      body: { provider: 'stripe', session_id: 'cs_1', url: 'https://checkout.stripe.example/cs_1' },
    });
    const [asked] = stripe.asked;
    expect(asked?.headers.authorization).toBe('Bearer sk_test_1234567890');
    expect(asked?.headers['idempotency-key']).toBeDefined();
    expect(Object.fromEntries(asked?.form ?? [])).toMatchObject({
      mode: 'subscription',
      'line_items[0][price]': 'price_1',
      'subscription_data[metadata][org_id]': org_id,
    });

    const seconds = Math.floor(Date.now() / 1000);
    const event = (id: string, type: string, created: number, status = 'active', price = 'price_1') =>
      JSON.stringify({
        ...{ id, type: `customer.subscription.${type}`, created },
        data: { object: { id: 'sub_1', status, metadata: { org_id }, items: { data: [{ price: { id: price } }] } } },
      });
    const signed = (body: string) =>
      sendEvent(at, body, { 'stripe-signature': signEvent(body, WEBHOOK_SECRET, Date.now()) });

    const created = event('evt_1', 'created', seconds - 20);
    expect((await sendEvent(at, created, {})).status).toBe(401);
    expect(
      (await sendEvent(at, created, { 'stripe-signature': signEvent(created, 'whsec_guessed', Date.now()) })).status,
    ).toBe(401);
    const sandbox = { 'sandbox-signature': signEvent(created, sandboxEventSecret(at.core.secret), Date.now()) };
    expect((await sendEvent(at, created, sandbox)).status).toBe(401);
    expect(await tierOf(at, org_id)).toBeUndefined();

    const race = await Promise.all(Array.from({ length: 10 }, () => signed(created)));
    expect(race.filter(({ body }) => body['result'] === 'applied')).toHaveLength(1);
    expect(await tierOf(at, org_id)).toBe('company_standard');
    await signed(event('evt_2', 'updated', seconds - 10, 'past_due', 'price_2'));
    expect(await tierOf(at, org_id)).toBe('company_leader');
    expect(await signed(event('evt_3', 'deleted', seconds))).toMatchObject({ body: { result: 'applied' } });
    expect(await tierOf(at, org_id)).toBeUndefined();
    expect(await signed(created)).toMatchObject({ status: 200, body: { result: 'ignored' } });
    expect(await tierOf(at, org_id)).toBeUndefined();

    expect(await signed('{"id":"evt_4","type":"invoice.paid","created":1}')).toMatchObject({ status: 200 });
    expect((await signed(event('evt_5', 'updated', seconds + 1, 'active', 'price_unheard_of'))).status).toBe(503);
    stripe.isDown = true;
    expect((await callAsUser(at, token, '/api/checkout-session', { price_id: 'price_1', org_id })).status).toBe(503);
  });
});

async function newCompany(at: TestAgent): Promise<{ token: string; org_id: string }> {
  const token = await accessToken(at, ADA, { path: '/api' });
  const made = await callAsUser(at, token, '/api/organizations', { organization_name: 'Acme Outdoor' });
  return { token, org_id: (made.body['organization'] as { id: string }).id };
}

async function tierOf(at: TestAgent, organizationId: string): Promise<string | undefined> {
  const row = await at.core.store.collection(organizations).get(organizationId);
  return row && resolveTier(row)?.tier;
}

async function subscriptionOf(at: TestAgent, organizationId: string): Promise<{ subscription_id: string | undefined }> {
  const row = await at.core.store.collection(organizations).get(organizationId);
  return { subscription_id: row?.subscription?.subscription_id };
}

async function sendEvent(at: TestAgent, body: string, headers: Record<string, string>) {
  const response = await fetch(`${at.baseUrl}/api/billing/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A server that speaks the part of Stripe's API that is used here. */
async function openStripe() {
  const stripe = {
    url: '',
    isDown: false,
    asked: [] as { headers: IncomingMessage['headers']; form: URLSearchParams }[],
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      stripe.asked.push({ headers: request.headers, form: new URLSearchParams(Buffer.concat(chunks).toString()) });
      const isKnown = request.method === 'POST' && request.url === '/v1/checkout/sessions' && !stripe.isDown;
      response.writeHead(isKnown ? 200 : 500, { 'content-type': 'application/json' });
      const expires_at = Math.floor(Date.now() / 1000) + 86_400;
      response.end(
        JSON.stringify(
          isKnown
            ? { id: 'cs_1', object: 'checkout.session', url: 'https://checkout.stripe.example/cs_1', expires_at }
            : { error: {} },
        ),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  stripe.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stripe;
}
