import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../src/platform/errors.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { totalInWords } from '../../src/runtime/list.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { organizationId, taskId } from '../support/ids.ts';
import { BUYER, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { sampleRun } from './support/sample-run.ts';
import { plain } from './support/tasks.ts';

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([plain]);
});
afterAll(() => open.close());

const STRANGER = { ...BUYER, organization_id: organizationId('org_b') };
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no refusal',
    (error: unknown) => (error as AppError).toBody(),
  );

describe('[T5] another organization', () => {
  it('learns of a task exactly what it learns of one that never was, by every operation', async () => {
    const { task_id } = await open.submit('plain');
    const { runtime } = open;
    const message = { message_id: 'm', wire: {} };
    const request = { channel: 'a2a', wire: '1.0', config: {}, field: 'config' } as const;
    const attempts = [
      (id: TaskId) => runtime.read(STRANGER, id),
      (id: TaskId) => runtime.cancel(STRANGER, id),
      (id: TaskId) => runtime.resume(STRANGER, id, message),
      (id: TaskId) => runtime.addRegistration(STRANGER, id, request),
      (id: TaskId) => runtime.listRegistrations(STRANGER, id),
      (id: TaskId) => runtime.endRegistration(STRANGER, id, 'r'),
    ];
    for (const attempt of attempts) {
      const [theirs, nobodys] = [await refusal(attempt(task_id)), await refusal(attempt(taskId(randomUUID())))];
      expect(theirs).toMatchObject({ code: 'TASK_NOT_FOUND' });
      expect(theirs).toEqual(nobodys);
    }
    expect((await open.row(task_id)).revision).toBe(1);
  });

  it('finds none of the tasks in its own list, nor in their number', async () => {
    await open.submit('plain');
    expect(await open.runtime.list(STRANGER, {}, 100)).toEqual({ runs: [], total: 0 });
  });
});

describe('[T5.total] a list', () => {
  it('tells a total of a thousand where there are more, and pages go on behind it', async () => {
    const organization_id = organizationId('org_many');
    const runs = Array.from({ length: 1_002 }, (_, n) => {
      const id = taskId(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
      return sampleRun({ task_id: id, message_key: id, organization_id, run_due_at: null, registrations: [] });
    });
    await open.store.collection(TaskRuns).insertMany(runs);
    const many = { ...BUYER, organization_id };
    const first = await open.runtime.list(many, {}, 1);
    expect([first.total, totalInWords(first.total), totalInWords(999)]).toEqual([1_000, '1000 or more', '999']);
    expect((await open.runtime.list(many, {}, 100, first.cursor)).runs).toHaveLength(100);
    expect((await open.runtime.list(many, { states: ['failed'] }, 1)).total).toBe(0);
  });
});

describe('reading', () => {
  it('works for every key of the organization that may read', async () => {
    const { task_id } = await open.submit('plain');
    const colleague = { ...BUYER, principal_id: 'key_b', scopes: ['tasks:read'] as const };
    expect((await open.runtime.read(colleague, task_id)).task_id).toBe(task_id);
    const writer = { ...BUYER, scopes: [] };
    expect(await refusal(open.runtime.read(writer, task_id))).toMatchObject({ code: 'FORBIDDEN' });
  });

  it.each(['', 'x'.repeat(513), 'x'.repeat(100_000), '../..', '\u0000'])(
    'an impossible id is an unknown one',
    async (id) => {
      expect(await refusal(open.runtime.read(BUYER, taskId(id)))).toMatchObject({ code: 'TASK_NOT_FOUND' });
    },
  );
});
