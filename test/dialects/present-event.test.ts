import { expect, it } from 'vitest';
import { z } from 'zod';
import { translator } from '../../src/dialects/adcp/translator.ts';
import type { Translator } from '../../src/dialects/adcp/translator.ts';
import { presentEvent } from '../../src/dialects/adcp/webhooks/present-event.ts';
import { createLogger } from '../../src/platform/log.ts';
import { newRun } from '../../src/runtime/new-run.ts';
import { organizationId, taskId } from '../support/ids.ts';

const run = newRun({
  task_id: taskId('00000000-0000-4000-8000-000000000001'),
  ...{ organization_id: organizationId('org_1'), principal_id: 'key', task_type: 'book', context_id: 'c' },
  ...{ message_key: 'm', request_hash: 'h', created_at: '2027-01-01T00:00:00.000Z' },
  spoken: { dialect: 'adcp', skill: 'book', release: '3.1' },
});

const about = { title: '', description: '', tags: [], examples: [], mutates: true, input: z.looseObject({}) };

function deps(out: Translator['out']) {
  const book = translator({ ...about, skill: 'book', task: 'book', in: () => ({ input: {} }), out });
  const none = () => Promise.reject(new Error('nothing is read'));
  const runtime = { list: none, peek: none, read: none };
  return { runtime, translators: new Map([['book', book]]), log: createLogger('silent'), nowMs: () => 0 };
}

it('[D5] an event is put into the words of an answer, without the context, which the envelope has', async () => {
  const event = { state: 'completed', message: 'done', data: { media_buy_id: 'mb' } } as const;
  const words = await presentEvent(
    deps((result) => ({ ...result, wide: true })),
    { ...run, context: { n: 1 } },
    event,
  );
  expect(words).toEqual({ status: 'completed', adcp_version: '3.1', media_buy_id: 'mb', wide: true });
});

it('[D5] a translation that fails leaves the event without words, and holds nothing up', async () => {
  const failing = deps(() => {
    throw new Error('a mistake in the translation');
  });
  await expect(presentEvent(failing, run, { state: 'completed', message: '', data: {} })).resolves.toBeUndefined();
});
