import { afterEach, expect, it } from 'vitest';
import { decideOnCreative } from '../../src/sales/creative/review/decide.ts';
import { openImpairments, viewImpairments } from '../../src/sales/impairment/impairment-view.ts';
import { mediaBuyId, organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { ask, errorOf, eventsOf, mediaBuyInput, send, taskOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

interface Listed {
  creatives: (Json & { creative_id: string; status: string; assignments: { assigned_packages: Json[] } })[];
}

describeOnStores('[B11] [C.tasks.sync_creatives] creatives on %s', (store) => {
  it('are previewed, synced, assigned, reviewed and listed; the buy begins with them and suffers with them', async () => {
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    const agent = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '1' } });
    cleanUp.push(() => agent.stop());
    const list = async (filters: Json = {}) => (await ask(agent, 'list_creatives', { filters })) as unknown as Listed;

    const { formats } = (await ask(agent, 'list_creative_formats', {
      name_search: 'Medium rectangle 300',
      format_types: ['display'],
    })) as { formats: { format_id: { id: string } }[] };
    const format_id = formats.map((format) => format.format_id).find(({ id }) => id === 'display_300x250');
    const packages = [
      { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 5000 },
      { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 5000 },
    ];
    const buy = (await ask(agent, 'create_media_buy', mediaBuyInput(agent, { packages }))) as Json & {
      media_buy_id: string;
      packages: { package_id: string }[];
    };
    expect(buy).toMatchObject({ status: 'pending', pending_reason: 'creatives' });
    const { media_buy_id } = buy;
    const [first, second] = buy.packages.map(({ package_id }) => package_id);

    const image = { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 };
    const banner = (creative_id: string) => ({ creative_id, name: creative_id, format_id, assets: { image } });
    const sync = {
      creatives: [banner('a'), banner('b'), { ...banner('tiny'), assets: { image: { ...image, width: 1 } } }],
      assignments: { a: [first], b: [first, second] },
    };
    const preview = await ask(agent, 'sync_creatives', { ...sync, dry_run: true });
    expect((await list()).creatives).toEqual([]);
    const push_notification_config = { url: receiver.url(), operation_id: 'op-sync' };
    const { id } = taskOf(await send(agent, 'sync_creatives', { ...sync, push_notification_config }));
    await until(() => eventsOf(receiver.received, id).some(({ body }) => body['status'] === 'completed'));
    const told = eventsOf(receiver.received, id).find(({ body }) => body['status'] === 'completed')?.body;
    expect(told).toMatchObject({ operation_id: 'op-sync', task_type: 'sync_creatives' });
    expect({ ...(told?.['result'] as Json), dry_run: true }).toEqual(preview);
    expect(preview).toMatchObject({
      creatives: [
        { creative_id: 'a', action: 'created', status: 'processing', assigned_to: [first] },
        { creative_id: 'b', action: 'created', status: 'processing', assigned_to: [first, second] },
        { creative_id: 'tiny', action: 'failed', errors: [{ field: 'creatives[2].assets.image.width' }] },
      ],
    });

    await until(async () => (await list({ status: ['approved'] })).creatives.length === 2);
    await until(async () =>
      (await list()).creatives.every(({ assignments }) =>
        assignments.assigned_packages.every((place) => place['media_buy_status'] === 'active'),
      ),
    );

    const swept = (await ask(agent, 'sync_creatives', { creatives: [banner('b')], delete_missing: true })) as {
      creatives: Json[];
    };
    expect(swept.creatives).toMatchObject([
      { creative_id: 'b', action: 'unchanged', status: 'approved' },
      {
        creative_id: 'a',
        action: 'failed',
        errors: [{ code: 'CREATIVE_IN_USE', details: { media_buy_ids: [media_buy_id] } }],
      },
    ]);

    const { sales } = agent.core;
    const suspension = {
      organization_id: organizationId('org_demo_buyer'),
      creative_id: 'b',
      reason: 'dead landing page',
    };
    await decideOnCreative(sales, { ...suspension, to: 'suspended' });
    const health = async () => {
      const open = await openImpairments(sales.impairments, [mediaBuyId(media_buy_id)]);
      return viewImpairments(open.get(media_buy_id) ?? []);
    };
    expect(await health()).toMatchObject({
      health: 'impaired',
      impairments: [{ resource_id: 'b', package_ids: [second], reason: 'dead landing page' }],
    });
    const updates = { packages: [{ package_id: second, creative_ids: ['a', 'b'] }] };
    await ask(agent, 'update_media_buy', { media_buy_id, updates });
    expect(await health()).toEqual({ health: 'ok', impairments: [] });

    const none = { packages: [{ package_id: second, creative_ids: [] }] };
    expect(await ask(agent, 'update_media_buy', { media_buy_id, updates: none })).toMatchObject({ status: 'active' });
    const shown = await ask(agent, 'get_media_buys', { media_buy_ids: [media_buy_id] });
    expect(shown['media_buys']).toMatchObject([
      {
        health: 'impaired',
        impairments: [
          {
            ...{ resource_type: 'package', resource_id: second, package_ids: [second], reason_code: 'no_creatives' },
            remediation: `assign an approved creative to ${String(second)}`,
          },
        ],
      },
    ]);
    await ask(agent, 'sync_creatives', { creatives: [banner('a')], assignments: { a: [second] } });
    expect(await health()).toEqual({ health: 'ok', impairments: [] });
  });

  it('[B13] refuses at once assignments of what is not there, each with its path', async () => {
    const agent = await startTestAgent(store);
    cleanUp.push(() => agent.stop());
    const creatives = [{ creative_id: 'a' }];
    const refused = async (assignments: Json) =>
      errorOf(await send(agent, 'sync_creatives', { creatives, assignments }));
    expect(await refused({ a: ['mb_nowhere_p1'] })).toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      field: 'assignments.a[0]',
    });
    expect(await refused({ ghost: [] })).toMatchObject({ code: 'CREATIVE_NOT_FOUND', field: 'assignments.ghost' });
  });
});
