import type { Core } from '../../../src/main/wiring/compose.ts';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { formatOf } from '../../../src/sales/catalog.ts';
import { exampleCreative } from '../../../src/sales/creative/example-creative.ts';
import { reviewDue } from '../../../src/sales/creative/review/review-due.ts';
import { BUYER } from '../../tasks/support/calls.ts';
import { LINE, takeOwedTurn } from '../../tasks/support/interrupted-agent.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { startTestAgent } from './test-agent.ts';

/** What one thing that happens has written: how often, by collection and kind of the write. */
export interface WrittenStory {
  story: string;
  writes: Record<string, number>;
}

/**
 * Plays what buyers and time do most, each by itself, on the embedded store and its simulated ad server, and tells what each has
 * written until nothing was left to do. Nothing works beside it: the clock stands, and turns and periodic jobs are taken in turn.
 */
export async function writtenStories(): Promise<WrittenStory[]> {
  const clock = {
    nowMs: Date.parse('2041-03-07T09:17:23.456Z'),
    now() {
      return this.nowMs;
    },
  };
  let writes: Record<string, number> = {};
  const agent = await startTestAgent('sqlite', {
    ...{ clock, working: false, env: { CREATIVE_REVIEW_SECONDS: '0' } },
    wrapStore: (store) =>
      withStoreHooks(store, {
        after({ collection, kind }, hasWritten) {
          const name = `${collection} ${kind}`;
          if (hasWritten) writes[name] = (writes[name] ?? 0) + 1;
        },
      }),
  });
  const { core } = agent;
  const stories: WrittenStory[] = [];

  async function play<T>(story: string, act: () => Promise<T>): Promise<T> {
    writes = {};
    const outcome = await act();
    await doWhatIsDue(core);
    stories.push({ story, writes });
    writes = {};
    return outcome;
  }
  const ask = (task_type: string, input: Record<string, unknown>) => completed(core, task_type, input);
  const update = (media_buy_id: unknown, updates: object) => ask('update_media_buy', { media_buy_id, updates });

  try {
    const [format_id] = core.catalog.products.get(LINE.product_id)?.format_ids ?? [];
    const format = format_id && formatOf(core.catalog, format_id);
    if (format === undefined) throw new Error(`the catalog has no format for ${LINE.product_id}`);
    const banner = exampleCreative(format, 'banner', 'Banner');
    await play('sync of one creative', () => ask('sync_creatives', { creatives: [banner] }));
    const waiting = await play('create of a buy that waits for creatives', () =>
      ask('create_media_buy', buyInput(clock.nowMs)),
    );
    const { media_buy_id } = await play('create of a buy that runs at once', () =>
      ask('create_media_buy', buyInput(clock.nowMs, [banner.creative_id])),
    );
    const reporting = await play('create of a buy that reports', () =>
      ask('create_media_buy', { ...buyInput(clock.nowMs, undefined, 'reports'), reporting_webhook: REPORTS }),
    );
    await play('update of a budget', () => update(media_buy_id, { budget_change: 500 }));
    await play('pause', () => update(media_buy_id, { status: 'paused' }));
    await play('resumption', () => update(media_buy_id, { status: 'active' }));
    await update(waiting['media_buy_id'], { status: 'canceled' });
    await update(reporting['media_buy_id'], { status: 'canceled' });
    await doWhatIsDue(core);
    await play('an hour of a flight', () => Promise.resolve((clock.nowMs += HOUR_MS)));
    await play('cancel of a buy', () => update(media_buy_id, { status: 'canceled' }));
  } finally {
    await agent.stop();
  }
  return stories;
}

const REPORTS = { url: 'http://127.0.0.1:9/reports', reporting_frequency: 'daily' };

function buyInput(nowMs: number, creative_ids?: string[], name = 'waits'): Record<string, unknown> {
  return {
    buyer_ref: `campaign-${creative_ids?.join() ?? name}`,
    brand_manifest: { name: 'Acme Outdoor', url: 'https://acme-outdoor.example' },
    packages: [{ ...LINE, ...(creative_ids && { creative_ids }) }],
    start_time: { type: 'asap' },
    end_time: new Date(nowMs + 42 * 24 * HOUR_MS).toISOString(),
  };
}

/** What a task answers that completes in one turn. @throws when it does not. */
async function completed(core: Core, task_type: string, input: object): Promise<Record<string, unknown>> {
  const { run } = await core.runtime.submit({ caller: BUYER, task_type, input });
  await takeOwedTurn(core, run.task_id);
  const { state, events } = await core.runtime.read(BUYER, run.task_id);
  const last = events.at(-1);
  if (state !== 'completed' || last?.kind !== 'status') throw new Error(`${task_type} is ${state}`);
  return last.data as Record<string, unknown>;
}

/** The periodic jobs that buys and creatives have, until none finds anything. */
async function doWhatIsDue({ sales, reporting, log }: Core): Promise<void> {
  for (let found = 1; found > 0;) {
    found = await reviewDue({ ...sales, log });
    found += await sales.courier.tellDue();
    found += await sales.flights.processDue();
    found += await sales.orders.lookDue();
    found += await reporting.processDue();
  }
}
