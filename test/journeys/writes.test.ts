import { expect, it } from 'vitest';
import { writtenStories } from './support/stories.ts';

/** What a turn of a task writes about the task itself: that it was asked for, is at work, may not be canceled, and is over. */
const TASK = { 'task_runs insert': 1, 'task_runs update': 3 };

/** A look at a flight takes it, and says when the next one is; both in the buy's row. */
const LOOK = 2;

it('what happens to a buy writes these rows, each so often: one write more is a decision', async () => {
  const stories = await writtenStories();
  expect(Object.fromEntries(stories.map(({ story, writes }) => [story, writes]))).toEqual({
    'sync of one creative': { ...TASK, 'creatives insert': 1, 'creatives update': 3 },
    'create of a buy that waits for creatives': {
      ...TASK,
      'media_buys insert': 1,
      'simulated_orders_by_version insert': 1,
      'ad_orders insert': 1,
      'media_buys replace': 1,
    },
    'create of a buy that runs at once': {
      ...TASK,
      'media_buys insert': 1,
      'simulated_orders_by_version insert': 1,
      'ad_orders insert': 1,
      'media_buys replace': 2,
      'simulated_orders_by_version update': 1,
    },
    'create of a buy that reports': {
      ...TASK,
      'media_buys insert': 1,
      'simulated_orders_by_version insert': 1,
      'ad_orders insert': 1,
      'media_buys replace': 1,
    },
    'update of a budget': {
      ...TASK,
      'media_buys replace': 2,
      'simulated_orders_by_version update': 1,
      'media_buys update': LOOK,
      'delivery_books insert': 1,
    },
    pause: {
      ...TASK,
      'media_buys replace': 2,
      'simulated_orders_by_version update': 1,
    },
    resumption: {
      ...TASK,
      'media_buys replace': 2,
      'simulated_orders_by_version update': 1,
    },
    'an hour of a flight': {
      'media_buys update': LOOK,
      'simulated_orders_by_version update': 1,
      'delivery_books replace': 1,
      'delivery_days insert': 1,
      'delivery_months insert': 1,
      // The hourly look at the order.
      'ad_orders update': 1,
      'ad_orders replace': 1,
      'asked_reports update': 1,
    },
    'cancel of a buy': {
      ...TASK,
      'media_buys replace': 2,
      'simulated_orders_by_version update': 2,
      'ad_orders update': 1,
      'media_buys update': LOOK,
      'delivery_books replace': 1,
      'delivery_days update': 1,
      'delivery_months update': 1,
      'asked_reports update': 1,
    },
  });
});
