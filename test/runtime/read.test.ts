import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../src/platform/errors.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { organizationId, taskId } from '../support/ids.ts';
import { BUYER, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
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
