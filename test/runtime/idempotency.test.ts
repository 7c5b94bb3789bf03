import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import { IDEMPOTENCY_MS } from '../../src/runtime/insert-run.ts';
import { organizationId } from '../support/ids.ts';
import { BUYER, hook, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { aTask, only, plain } from './support/tasks.ts';

const failing = aTask('failing', () => Promise.reject(new AppError('AD_SERVER_REJECTED', 'no')));

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([plain, only, failing]);
});
afterAll(() => open.close());

const submit = (input: Record<string, unknown>, task_type = 'plain', caller = BUYER) =>
  open.runtime.submit({ caller, task_type, input, registrations: [hook()] });

describe('[B7] an idempotency key', () => {
  it('answers the same request with the same task, replayed, and tells its events once', async () => {
    const input = { text: 'a', idempotency_key: randomUUID() };
    const first = await submit(input);
    const meanwhile = await submit(input);
    await open.takeTurn(first.run.task_id);
    const after = await submit({ idempotency_key: input.idempotency_key, text: 'a' });
    expect([first, meanwhile, after].map(({ replayed }) => replayed)).toEqual([false, true, true]);
    expect(new Set([first, meanwhile, after].map(({ run }) => run.task_id)).size).toBe(1);
    expect(after.run.state).toBe('completed');
    expect(await open.told(first.run.task_id)).toHaveLength(1);
  });

  it('makes one task of many copies at once, from several processes', async () => {
    const other = await open.another();
    const input = { text: 'at once', idempotency_key: randomUUID() };
    const copies = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (i % 2 === 0 ? open : other).runtime.submit({ caller: BUYER, task_type: 'plain', input }),
      ),
    );
    expect(new Set(copies.map(({ run }) => run.task_id)).size).toBe(1);
    expect(copies.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('[C.errors.conflict] with another request is a conflict, be it of another task', async () => {
    const idempotency_key = randomUUID();
    await submit({ text: 'a', idempotency_key });
    for (const [text, task_type] of [
      ['b', 'plain'],
      ['a', 'only'],
    ] as const) {
      await expect(submit({ text, idempotency_key }, task_type)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        details: { field: 'idempotency_key' },
      });
    }
  });

  it('belongs to one organization', async () => {
    const input = { text: 'a', idempotency_key: randomUUID() };
    const mine = await submit(input);
    const theirs = await submit({ ...input, text: 'b' }, 'plain', {
      ...BUYER,
      organization_id: organizationId('org_b'),
    });
    expect(theirs.run.task_id).not.toBe(mine.run.task_id);
  });

  it('is free again after 24 hours, and not before', async () => {
    const input = { text: 'a', idempotency_key: randomUUID() };
    const first = await submit(input);
    open.clock.nowMs += IDEMPOTENCY_MS;
    expect((await submit(input)).replayed).toBe(true);
    open.clock.nowMs += 1;
    const later = await submit({ ...input, text: 'b' });
    expect(later.replayed).toBe(false);
    expect(later.run.task_id).not.toBe(first.run.task_id);
  });

  it('is free again after a refusal', async () => {
    const idempotency_key = randomUUID();
    await expect(submit({ text: 'refuse me', idempotency_key }, 'only')).rejects.toThrow('as you wish');
    expect((await submit({ text: 'fine', idempotency_key }, 'only')).replayed).toBe(false);
  });

  it('is free again when the task failed or was canceled, since only successes are kept', async () => {
    const idempotency_key = randomUUID();
    const failed = await submit({ text: 'a', idempotency_key }, 'failing');
    await open.takeTurn(failed.run.task_id);
    const canceled = await submit({ text: 'b', idempotency_key });
    expect(canceled.replayed).toBe(false);
    await open.runtime.cancel(BUYER, canceled.run.task_id);
    expect((await submit({ text: 'c', idempotency_key })).replayed).toBe(false);
  });
});
