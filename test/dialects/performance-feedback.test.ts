import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

const HOUR_MS = 3_600_000;
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

describeOnStores('provide_performance_feedback on %s', (store) => {
  let at: TestAgent;
  let media_buy_id: string;
  let package_id: string;
  beforeAll(async () => {
    at = await startTestAgent(store);
    const made = await callPublic(at, 'create_media_buy', {
      adcp_version: '3.1',
      ...orderOf(await packageForSale(at)),
    });
    const booked = bodyOf(made) as { media_buy_id: string; packages: [{ package_id: string }] };
    ({ media_buy_id } = booked);
    [{ package_id }] = booked.packages;
  });
  afterAll(() => at.stop());

  const score = (changes: Json = {}): Json => ({
    ...{ idempotency_key: randomUUID(), media_buy_id, performance_index: 1.25 },
    ...{ measurement_period: { start: hoursFromNow(-1), end: hoursFromNow(20) }, ...changes },
  });
  async function give(changes: Json = {}, release: '3.0' | '3.1' = '3.1'): Promise<Json> {
    const parameters = JSON.parse(JSON.stringify({ adcp_version: release, ...score(changes) })) as Json;
    const body = bodyOf(await callPublic(at, 'provide_performance_feedback', parameters));
    expect(schemaErrors('provide_performance_feedback', release, body)).toEqual([]);
    return body;
  }
  const read = async (query = '') =>
    (await operate(at, 'GET', `/performance-feedback${query}`)).body['feedback'] as Json[];

  it.each(['3.0', '3.1'] as const)('[D4.feedback] in %s is kept once, and read by operators', async (release) => {
    const before = (await read(`?media_buy_id=${media_buy_id}`)).length;
    const asked: Json = { ...score(), package_id, metric_type: 'brand_lift', feedback_source: 'verification_partner' };
    expect(await give(asked, release)).toMatchObject({ status: 'completed', success: true });
    expect(await give(asked, release)).toMatchObject({ success: true, replayed: true });
    const rows = await read(`?media_buy_id=${media_buy_id}`);
    expect(rows).toHaveLength(before + 1);
    expect(rows[0]).toMatchObject({
      ...{ organization_id: 'org_demo_buyer', media_buy_id, package_id, creative_id: null, performance_index: 1.25 },
      ...{ metric_type: 'brand_lift', feedback_source: 'verification_partner' },
      measurement_period: asked['measurement_period'],
    });
    expect(await read('?organization_id=org_demo_buyer&limit=1')).toEqual(rows.slice(0, 1));
    expect(await read(`?media_buy_id=${media_buy_id}&organization_id=org_other`)).toEqual([]);
    expect(await give({ ...asked, performance_index: 0 }, release)).toMatchObject({
      adcp_error: { code: 'IDEMPOTENCY_CONFLICT' },
    });
  });

  it.each([
    ['a media buy of nobody', { media_buy_id: 'mb_none' }, 'MEDIA_BUY_NOT_FOUND', 'media_buy_id'],
    ['a package of no such buy', { package_id: 'none_p1' }, 'PACKAGE_NOT_FOUND', 'package_id'],
    ['a creative of nobody', { creative_id: 'none' }, 'CREATIVE_NOT_FOUND', 'creative_id'],
    ['a score below nothing', { performance_index: -0.1 }, 'VALIDATION_ERROR', 'performance_index'],
    ['a score out of scale', { performance_index: 1_001 }, 'VALIDATION_ERROR', 'performance_index'],
    ['a metric of its own', { metric_type: 'luck' }, 'VALIDATION_ERROR', 'metric_type'],
    ['a period backwards', period(-1, -2), 'INVALID_REQUEST', 'measurement_period.end'],
    ['a period to come', period(2, 3), 'INVALID_REQUEST', 'measurement_period.start'],
    ['an end far ahead', period(-1, 48), 'INVALID_REQUEST', 'measurement_period.end'],
    ['a period before the flight', period(-9, -8), 'INVALID_REQUEST', 'measurement_period.end'],
    ['no key', { idempotency_key: undefined }, 'INVALID_REQUEST', 'idempotency_key'],
    ['another account', { account: accountOf('other.example') }, 'MEDIA_BUY_NOT_FOUND', 'media_buy_id'],
  ])('[D4.feedback] of %s is refused by name, and nothing is kept', async (_, changes, code, field) => {
    const before = await read();
    expect(await give(changes)).toMatchObject({ status: 'failed', adcp_error: { code, field } });
    expect(await read()).toEqual(before);
  });

  it('[D4.feedback] under an account that is suspended is refused until that is active', async () => {
    const { body } = await operate(at, 'GET', '/buyer-accounts?organization_id=org_demo_buyer');
    const account = (body['accounts'] as Json[]).find((row) => row['brand_domain'] === 'acme.example');
    const move = (status: string) =>
      operate(at, 'POST', `/buyer-accounts/${String(account?.['account_id'])}/move`, { status, reason: 'owes' });
    await move('suspended');
    expect(await give()).toMatchObject({ adcp_error: { code: 'ACCOUNT_SUSPENDED' } });
    await move('active');
    expect(await give()).toMatchObject({ success: true });
  });

  it('[D4.feedback] is claimed by no capability', async () => {
    const told = bodyOf(await callPublic(at, 'get_adcp_capabilities', { adcp_version: '3.1' }));
    expect(JSON.stringify(told)).not.toContain('performance_feedback');
  });
});

function period(start: number, end: number): Json {
  return { measurement_period: { start: hoursFromNow(start), end: hoursFromNow(end) } };
}
