import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import { IDEMPOTENCY_MS } from '../../src/runtime/insert-run.ts';
import { organizationId } from '../support/ids.ts';
import { BUYER, hook, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { aTask, only, plain } from './support/tasks.ts';

const givenUp = () => new AppError('SERVICE_UNAVAILABLE', 'given up', { details: { effect: 'unknown' } });
const unknownEnd = aTask('given-up', () => Promise.reject(givenUp()));
const endsAsTold = aTask('ends-as-told', ({ text }) => {
  if (text === 'unknown') throw givenUp();
  if (text === 'failed') throw new AppError('AD_SERVER_REJECTED', 'no');
  return Promise.resolve({ done: {}, message: 'done' });
});
const failing = aTask('failing', () => Promise.reject(new AppError('AD_SERVER_REJECTED', 'no')));

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([plain, only, failing, unknownEnd, endsAsTold]);
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

  it('[B7.effect] is free again 24 hours after the task was over, and not before, however long that took', async () => {
    const input = { text: 'a', idempotency_key: randomUUID() };
    const first = await submit(input);
    open.clock.nowMs += 100 * IDEMPOTENCY_MS;
    expect((await submit(input)).replayed).toBe(true);
    await expect(submit({ ...input, text: 'b' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    await open.takeTurn(first.run.task_id);
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

  it('[B7.effect] is bound to a failed task whose effect is not known as to one that completed', async () => {
    const input = { text: 'a', idempotency_key: randomUUID() };
    const first = await submit(input, 'given-up');
    await open.takeTurn(first.run.task_id);
    const again = await submit(input, 'given-up');
    expect([again.replayed, again.run.state, again.run.task_id]).toEqual([true, 'failed', first.run.task_id]);
    open.clock.nowMs += IDEMPOTENCY_MS + 1000;
    expect((await submit(input, 'given-up')).replayed).toBe(false);
  });

  it('[B7.effect] stands for one task from its first write to 24 hours after its end, and for none that had no effect', async () => {
    const ends = ['completed', 'failed', 'unknown', 'canceled'] as const;
    const hours = fc.integer({ min: 0, max: 60 });
    const life = fc.record({
      end: fc.constantFrom(...ends),
      open: fc.array(hours, { maxLength: 3 }),
      over: fc.array(hours, { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
        const idempotency_key = randomUUID();
        for (const { end, open: waits, over } of lives) {
          const ask = () => submit({ text: end, idempotency_key }, 'ends-as-told');
          const first = await ask();
          expect(first.replayed).toBe(false);
          const { task_id } = first.run;
          const expectBound = async (isBound: boolean) => {
            if (!isBound) return;
            expect(await ask()).toMatchObject({ replayed: true, run: { task_id } });
            await expect(submit({ text: 'another', idempotency_key }, 'ends-as-told')).rejects.toThrow(
              'idempotency_key',
            );
          };
          for (const wait of waits) {
            open.clock.nowMs += wait * 3_600_000;
            await expectBound(true);
          }
          await (end === 'canceled' ? open.runtime.cancel(BUYER, task_id) : open.takeTurn(task_id));
          let since = 0;
          for (const wait of over) {
            open.clock.nowMs += wait * 3_600_000;
            since += wait;
            await expectBound((end === 'completed' || end === 'unknown') && since < 24);
          }
          // What is bound still is let go before the next life; what is free takes the next request as a new one.
          if (end === 'completed' || end === 'unknown') open.clock.nowMs += IDEMPOTENCY_MS + 1000;
        }
      }),
      { numRuns: 40 },
    );
  });
});
