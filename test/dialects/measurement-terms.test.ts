import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { textOf, visitorOf } from '../admin/console/support/visitor.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { accountOf, orderOf } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES, webhookErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const account = accountOf('acme.example');
/** Those of a product of the shipped catalog. */
const MEASURED = { vendor: { domain: 'countwell.example' }, measurement_window: 'c7', max_variance_percent: 10 };
const MADE_GOOD = { available_remedies: ['additional_delivery', 'credit'] };
const OFFERED = { billing_measurement: MEASURED, makegood_policy: MADE_GOOD };
const LINE = { product_id: 'touchline_live_preroll', pricing_option_id: 'preroll_fixed_usd', budget: 20_000 };
/** A product that promises none. */
const PLAIN = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 20_000 };
const IN_3_DAYS = new Date(Date.now() + 3 * 86_400_000).toISOString();

describeOnStores('[D4.terms] terms of measurement, on %s,', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
    ({ at, ask } = await openPublicAgent(store, { env: { APPROVAL_OVER: 'USD:50000', COMPLIANCE_TESTING: '1' } }));
  });
  afterAll(async () => {
    await at.stop();
    await receiver.close();
  });

  /** Calls, and holds the answer against the official schema. */
  const book = (release: Release, line: Json, more: Json = {}) =>
    ask(release, 'create_media_buy', orderOf({ ...LINE, ...line }, { start_time: IN_3_DAYS, ...more }));
  const change = (release: Release, media_buy_id: unknown, more: Json) =>
    ask(release, 'update_media_buy', { account, media_buy_id, idempotency_key: randomUUID(), ...more });
  const termsOf = (packages: unknown) => (packages as Json[]).map((one) => one['measurement_terms']);
  async function readTerms(release: Release, media_buy_id: unknown): Promise<unknown[]> {
    const read = await ask(release, 'get_media_buys', { account, media_buy_ids: [media_buy_id] });
    return termsOf((read['media_buys'] as Json[])[0]?.['packages']);
  }

  it('stand in the terms that published products are bought on, and in their digest', async () => {
    const { feed_version } = await ask('3.2', 'list_products', {});
    const bought = async (line: Json) => {
      const end_time = new Date(Date.now() + 20 * 86_400_000).toISOString();
      const { accepted_proposal } = await ask('3.2', 'buy_products', {
        ...{ account, idempotency_key: randomUUID(), feed_version, purchases: [{ ...LINE, ...line }] },
        ...{ start_time: IN_3_DAYS, end_time },
      });
      return (accepted_proposal as Json)['commercial_terms'] as Json;
    };
    expect(termsOf((await bought({ measurement_terms: OFFERED }))['purchases'])).toEqual([OFFERED]);
    // What is left out is as the product has it.
    const asked = { makegood_policy: { available_remedies: ['credit'] } };
    const agreed = { billing_measurement: MEASURED, ...asked };
    expect(termsOf((await bought({ measurement_terms: asked }))['purchases'])).toEqual([agreed]);
    expect(termsOf((await bought({}))['purchases'])).toEqual([undefined]);
  });

  it.each(RELEASES)('are told of a product in %s, and in our own words nowhere', async (release) => {
    const asked = { buying_mode: 'wholesale', pagination: { max_results: 100 } };
    const { products } = (await ask(release, 'get_products', asked)) as { products: Json[] };
    const of = (id: string) => products.find(({ product_id }) => product_id === id)?.['measurement_terms'];
    expect(of(LINE.product_id)).toEqual(OFFERED);
    expect(of(PLAIN.product_id)).toBeUndefined();
    const ours = JSON.stringify(await send(at, 'get_products', { limit: 100 }));
    expect(ours).toContain(LINE.product_id);
    expect(ours).not.toContain('measurement_terms');
  });

  it.each(RELEASES)(
    'that a product offers are kept with the package in %s, and told in the answer, in reads and by webhook',
    async (release) => {
      receiver.received.length = 0;
      const push_notification_config = { url: receiver.url('/news') };
      const made = await book(release, { measurement_terms: OFFERED }, { push_notification_config });
      expect(termsOf(made['packages'])).toEqual([OFFERED]);
      expect(await readTerms(release, made['media_buy_id'])).toEqual([OFFERED]);
      const { body } = await until(() => Promise.resolve(receiver.received.find((one) => isDone(one.body))));
      expect(webhookErrors(release, body)).toEqual([]);
      expect(termsOf((body['result'] as Json)['packages'])).toEqual([OFFERED]);
      const ours = JSON.stringify(await send(at, 'get_media_buys', { media_buy_ids: [made['media_buy_id']] }));
      expect(ours).not.toContain('measurement_terms');
    },
  );

  it.each<[string, Json, Json]>([
    ['a larger variance', { billing_measurement: { ...MEASURED, max_variance_percent: 15 } }, { variance: 15 }],
    ['the vendor alone, in capitals', { billing_measurement: { vendor: { domain: 'CountWell.example' } } }, {}],
    ['one remedy of two', { makegood_policy: { available_remedies: ['credit'] } }, { remedies: ['credit'] }],
    ['nulls', { billing_measurement: null, makegood_policy: { ...MADE_GOOD, penalty: null } }, {}],
  ])('are agreed on by %s, and of what is left out as the product has them', async (_what, asked, agreed) => {
    const { variance = 10, remedies = MADE_GOOD.available_remedies } = agreed;
    const made = await book('3.1', { measurement_terms: asked });
    expect(termsOf(made['packages'])).toEqual([
      {
        billing_measurement: { ...MEASURED, max_variance_percent: variance },
        makegood_policy: { available_remedies: remedies },
      },
    ]);
  });

  it.each<[string, Json, string, string[]]>([
    [
      'another vendor',
      { billing_measurement: { ...MEASURED, vendor: { domain: 'videoamp.example' } } },
      'billing_measurement.vendor.domain',
      ['"videoamp.example"', '"countwell.example"'],
    ],
    [
      'one brand of the vendor’s',
      { billing_measurement: { ...MEASURED, vendor: { ...MEASURED.vendor, brand_id: 'other' } } },
      'billing_measurement.vendor.brand_id',
      ['"other"', 'nothing of the kind'],
    ],
    [
      'another window',
      { billing_measurement: { ...MEASURED, measurement_window: 'c30' } },
      'billing_measurement.measurement_window',
      ['"c30"', '"c7"'],
    ],
    [
      'a smaller variance',
      { billing_measurement: { ...MEASURED, max_variance_percent: 0 } },
      'billing_measurement.max_variance_percent',
      ['0 is asked for', '10'],
    ],
    [
      'a remedy that is not offered',
      { makegood_policy: { available_remedies: ['credit', 'invoice_adjustment'] } },
      'makegood_policy.available_remedies[1]',
      ['"invoice_adjustment"', 'additional_delivery, credit'],
    ],
    ['a term of its own', { viewability: { percent: 100 } }, 'viewability', ['{"percent":100}', 'nothing of the kind']],
    [
      'a deadline',
      { billing_measurement: { ...MEASURED, finalization_deadline_hours: 24 } },
      'billing_measurement.finalization_deadline_hours',
      ['24', 'nothing of the kind'],
    ],
  ])(
    '[D4.refused] with %s are refused by name, with what the product offers, and nothing is booked',
    async (_what, measurement_terms, path, words) => {
      const before = await at.core.sales.mediaBuys.count({});
      const { adcp_error: error } = await book('3.1', { measurement_terms });
      const field = `packages[0].measurement_terms.${path}`;
      const details = { measurement_terms: OFFERED };
      expect(error).toMatchObject({ code: 'TERMS_REJECTED', recovery: 'correctable', field, details });
      for (const word of [...words, LINE.product_id]) expect((error as { message: string }).message).toContain(word);
      expect(await at.core.sales.mediaBuys.count({})).toBe(before);
    },
  );

  it('[D4.refused] are refused with all that is wrong with them', async () => {
    const asked = {
      billing_measurement: { ...MEASURED, measurement_window: 'c30', max_variance_percent: 5 },
      makegood_policy: { available_remedies: ['refund'] },
    };
    const { adcp_error: error } = await book('3.1', { measurement_terms: asked });
    expect((error as { issues: Json[] }).issues.map(({ pointer }) => pointer)).toEqual([
      '/packages/0/measurement_terms/billing_measurement/measurement_window',
      '/packages/0/measurement_terms/billing_measurement/max_variance_percent',
      '/packages/0/measurement_terms/makegood_policy/available_remedies/0',
    ]);
  });

  it.each<[string, Json, string, string]>([
    ['of a product without any', { ...PLAIN, measurement_terms: OFFERED }, 'TERMS_REJECTED', 'measurement_terms'],
    ['that are standards', { performance_standards: [{ metric: 'x' }] }, 'TERMS_REJECTED', 'performance_standards'],
    ['of no product', { product_id: 'none', measurement_terms: OFFERED }, 'PRODUCT_NOT_FOUND', 'product_id'],
    [
      'that name no vendor',
      { measurement_terms: { billing_measurement: { measurement_window: 'c7' } } },
      'VALIDATION_ERROR',
      'measurement_terms.billing_measurement.vendor',
    ],
    [
      'that leave all open',
      { measurement_terms: { billing_measurement: { ...MEASURED, max_variance_percent: 100 } } },
      'VALIDATION_ERROR',
      'measurement_terms.billing_measurement.max_variance_percent',
    ],
  ])('[D4.refused] %s are refused', async (_what, line, code, path) => {
    const before = await at.core.sales.mediaBuys.count({});
    const { adcp_error: error } = await book('3.1', line);
    expect(error).toMatchObject({ code, field: `packages[0].${path}` });
    expect(await at.core.sales.mediaBuys.count({})).toBe(before);
  });

  it.each(RELEASES)('are agreed on for packages that are added in %s, and for none that stands', async (release) => {
    const made = await book(release, {});
    const { media_buy_id } = made;
    expect(termsOf(made['packages'])).toEqual([undefined]);
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    const stands = await change(release, media_buy_id, { packages: [{ package_id, measurement_terms: OFFERED }] });
    const rejected = { code: 'TERMS_REJECTED', field: 'packages[0].measurement_terms' };
    expect(stands).toMatchObject({ adcp_error: rejected });

    const wrong = { billing_measurement: { ...MEASURED, measurement_window: 'c30' } };
    const [good, bad] = [OFFERED, wrong].map((measurement_terms) => ({ ...LINE, budget: 8000, measurement_terms }));
    const refused = await change(release, media_buy_id, { new_packages: [good, bad] });
    const field = 'new_packages[1].measurement_terms.billing_measurement.measurement_window';
    expect(refused).toMatchObject({ adcp_error: { code: 'TERMS_REJECTED', field } });
    expect(await readTerms(release, media_buy_id)).toEqual([undefined]);

    const added = await change(release, media_buy_id, { new_packages: [good] });
    expect(termsOf(added['affected_packages'])).toEqual([OFFERED]);
    const more = await change(release, media_buy_id, { packages: [{ package_id, budget: 21_000 }] });
    expect(termsOf(more['affected_packages'])).toEqual([undefined]);
    expect(await readTerms(release, media_buy_id)).toEqual([undefined, OFFERED]);
  });

  it('stand when a person has let the booking be, and are shown to people at the seller', async () => {
    const { task_id } = await book('3.1', { measurement_terms: OFFERED, budget: 60_000 });
    const { rows } = await at.core.approvals.list({}, { limit: 100 });
    const approval = rows.find((one) => one.task_id === task_id);
    await at.core.approvals.approve(approval?.approval_id ?? '', { by: 'Ada' });
    const told = { task_id, include_result: true };
    const done = await until(async () => {
      const body = await ask('3.1', 'get_task_status', told);
      return body['status'] === 'completed' ? (body['result'] as Json) : undefined;
    });
    expect(termsOf(done['packages'])).toEqual([OFFERED]);
    const media_buy_id = String(done['media_buy_id']);
    const { body } = await operate(at, 'GET', `/media-buys/${media_buy_id}`);
    const [{ package_id }] = done['packages'] as [{ package_id: string }];
    expect(body['agreed_terms']).toEqual([{ package_id, measurement_terms: OFFERED }]);
    const viewer = await visitorOf(at, 'viewer');
    const words = [
      'measured by countwell.example, final in window c7, off by 10 % at most',
      'made good by additional delivery or credit',
    ].join(', ');
    for (const path of [`/buys/${media_buy_id}`, `/catalog/${LINE.product_id}`])
      expect(textOf((await viewer.get(path)).html)).toContain(words);
    expect(textOf((await viewer.get(`/catalog/${PLAIN.product_id}`)).html)).not.toContain('measured by');
  });

  it('[D4.tested] are those that a product is seeded with, and stand when it gets others', async () => {
    const sandbox = { ...account, sandbox: true };
    const seed = (product_id: string, measurement_terms: Json) =>
      ask('3.1', 'comply_test_controller', {
        ...{ account: sandbox, scenario: 'seed_product' },
        params: { product_id, fixture: { measurement_terms } },
      });
    const terms = { ...OFFERED, billing_measurement: { ...MEASURED, vendor: { domain: 'seeded.example' } } };
    expect(await seed('seeded_terms', terms)).toMatchObject({ success: true });
    const line = { product_id: 'seeded_terms', pricing_option_id: 'default', measurement_terms: terms };
    const made = await book('3.1', line, { account: sandbox });
    expect(termsOf(made['packages'])).toEqual([terms]);
    await seed('seeded_terms', OFFERED);
    expect(await book('3.1', line, { account: sandbox })).toMatchObject({ adcp_error: { code: 'TERMS_REJECTED' } });
    const read = await ask('3.1', 'get_media_buys', { account: sandbox, media_buy_ids: [made['media_buy_id']] });
    expect(termsOf((read['media_buys'] as Json[])[0]?.['packages'])).toEqual([terms]);
    expect(await seed('seeded_wrong', { makegood_policy: {} })).toMatchObject({ error: 'INVALID_PARAMS' });
  });
});

function isDone(body: Json): boolean {
  return body['task_type'] === 'create_media_buy' && body['status'] === 'completed';
}
