import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { chanceBy } from '../support/chance.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, OFFICIAL, schemaErrors } from './support/public-call.ts';
import { sampler } from './support/schema-sample.ts';

const SEED = process.env['PROPERTY_SEED'] ?? '20410307';
const CASES = Number(process.env['MADE_UP_CASES'] ?? 8);

const REQUESTS = {
  get_adcp_capabilities: 'protocol/get-adcp-capabilities-request.json',
  get_products: 'media-buy/get-products-request.json',
  list_creative_formats: 'media-buy/list-creative-formats-request.json',
  create_media_buy: 'media-buy/create-media-buy-request.json',
  update_media_buy: 'media-buy/update-media-buy-request.json',
  get_media_buys: 'media-buy/get-media-buys-request.json',
  get_media_buy_delivery: 'media-buy/get-media-buy-delivery-request.json',
  provide_performance_feedback: 'media-buy/provide-performance-feedback-request.json',
  sync_governance: 'account/sync-governance-request.json',
  sync_creatives: 'creative/sync-creatives-request.json',
  list_creatives: 'creative/list-creatives-request.json',
  get_task_status: { '3.0': 'core/tasks-get-request.json', '3.1': 'protocol/get-task-status-request.json' },
  list_tasks: { '3.0': 'core/tasks-list-request.json', '3.1': 'protocol/list-tasks-request.json' },
} as const;
/** Those that 3.2 has besides. */
const OF_3_2 = {
  list_products: 'media-buy/list-products-request.json',
  buy_products: 'media-buy/buy-products-request.json',
  control_media_buy: 'media-buy/control-media-buy-request.json',
} as const;

/** Of what 3.2 asks of create_media_buy, nothing that is made up is valid; buy_products books there. */
function requestsOf(release: '3.0' | '3.1' | '3.2') {
  if (release !== '3.2') return REQUESTS;
  const { create_media_buy: _never, ...others } = REQUESTS;
  return { ...others, ...OF_3_2 };
}

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe.each(['3.0', '3.1', '3.2'] as const)('requests made up by the official schemas of %s', (release) => {
  let at: TestAgent;
  const file = new URL(`../adcp-schemas/${release}.json.gz`, import.meta.url);
  const [sample, errorsOf] = [sampler(file), OFFICIAL[release]];
  let known: Record<string, unknown[]>;
  /** Of tasks that refuse nearly whatever is made up: the same with what must be so for it to reach the inside. */
  let grounded: Partial<Record<keyof typeof REQUESTS, (made: Json) => Json>>;
  beforeAll(async () => {
    at = await startTestAgent('sqlite', { env: { CREATIVE_REVIEW_SECONDS: '0' } });
    const line = await packageForSale(at);
    const made = await callPublic(at, 'create_media_buy', { adcp_version: '3.1', ...orderOf(line) });
    const { media_buy_id, packages } = bodyOf(made) as { media_buy_id: string; packages: { package_id: string }[] };
    const { creatives } = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    const booked = bodyOf(await callPublic(at, 'create_media_buy', { adcp_version: '3.1', ...orderOf(line) })) as {
      media_buy_id: string;
    };
    grounded = groundedBy(line, booked.media_buy_id);
    known = {
      ...{ media_buy_id: [media_buy_id], media_buy_ids: [[media_buy_id]], task_id: [made.id] },
      ...{ product_id: [line['product_id']], pricing_option_id: [line['pricing_option_id']], budget: [20_000, 1] },
      package_id: packages.map(({ package_id }) => package_id),
      creative_id: creatives.map(({ creative_id }) => creative_id),
      ...{ account: [accountOf('acme.example')], brand: [{ domain: 'acme.example' }], start_time: ['asap'] },
      ...{
        status_filter: ['pending_creatives'],
        push_notification_config: [undefined],
        reporting_webhook: [undefined],
      },
      ...{ adcp_version: [release], adcp_major_version: [3], idempotency_key: [''] },
    };
  });
  function groundedBy(line: Json, media_buy_id: string): typeof grounded {
    const only = (made: Json, names: string[]) =>
      Object.fromEntries(names.flatMap((name) => (name in made ? [[name, made[name]]] : [])));
    const ask = { adcp_version: undefined, adcp_major_version: undefined };
    return {
      create_media_buy: (made) => orderOf(line, only(made, ['context', 'ext', 'po_number', 'advertiser_industry'])),
      provide_performance_feedback: ({ package_id: _package, creative_id: _creative, ...made }) => ({
        ...{ ...made, ...ask, media_buy_id, performance_index: 1.5, idempotency_key: randomUUID() },
        measurement_period: { start: daysFromNow(-1), end: daysFromNow(0.5) },
      }),
    };
  }
  afterAll(() => at.stop());

  it.each(Object.entries(requestsOf(release)))(
    '[D3.schema] [D2.errors] %s is answered by the schema, and never by a fault',
    async (skill, path) => {
      const chance = chanceBy(`${SEED}/${release}/${skill}`);
      const schema = typeof path === 'string' ? path : path[release === '3.0' ? release : '3.1'];
      let [asked, reached] = [0, 0];
      for (let i = 0; i < CASES * 20 && asked < CASES; i++) {
        const made = sample(schema, { chance, known: { ...known, idempotency_key: [randomUUID()] } });
        const ground = asked % 2 === 1 ? grounded[skill as keyof typeof REQUESTS] : undefined;
        const request = JSON.parse(JSON.stringify(ground?.(made) ?? made)) as Json;
        if (errorsOf(schema, request).length > 0) continue;
        asked += 1;
        const body = bodyOf(await callPublic(at, skill, { ...request, adcp_version: release }));
        const { status, adcp_error: error } = body as { status?: string; adcp_error?: Json };
        if (error === undefined && ground !== undefined) reached += 1;
        if (error === undefined)
          expect(schemaErrors(skill, release, body), JSON.stringify({ request, body })).toEqual([]);
        else {
          expect(status).toBe('failed');
          expect(errorsOf('core/error.json', error), JSON.stringify(error)).toEqual([]);
          expect(error['code'], JSON.stringify({ request, error })).not.toBe('SERVICE_UNAVAILABLE');
        }
      }
      expect(asked).toBe(CASES);
      if (skill in grounded) expect(reached).toBeGreaterThan(0);
    },
  );
});
