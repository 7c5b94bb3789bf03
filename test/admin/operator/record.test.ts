import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OperatorActions } from '../../../src/admin/operator/actions/action.ts';
import type { OperatorAction } from '../../../src/admin/operator/actions/action.ts';
import { contentHash } from '../../../src/admin/operator/actions/record-link.ts';
import { BEGUN, recorded } from '../../../src/admin/operator/actions/record.ts';
import { verifyRecord } from '../../../src/admin/operator/actions/verify-record.ts';
import type { OperatorCall } from '../../../src/admin/operator/operation.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { noCounters } from '../../../src/platform/metrics/metrics.ts';
import type { Collection, Store } from '../../../src/platform/store/collection.ts';
import { installation, silent } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { describeOnStores } from '../../support/stores.ts';

const DAY = 24 * 3_600_000;

describeOnStores('[O1.record] the record of what operators did on %s', (kind) => {
  let at: Installation;
  let processes: Store[];
  let rows: Collection<OperatorAction>;
  beforeAll(async () => {
    at = await installation([OperatorActions], kind);
    processes = [at.store, await at.another()];
    rows = at.store.collection(OperatorActions);
  });
  afterAll(() => at.close());

  /** One action, in the first process or in the second; answers its id. */
  async function act(
    { process = 0, click, input = {} }: { process?: number; click?: string; input?: Record<string, unknown> } = {},
    outcome: () => Record<string, unknown> = () => ({ so: 'it is', not: undefined }),
  ): Promise<string> {
    const store = processes[process] ?? at.store;
    const deps = { ...at, store, log: silent, counters: noCounters } as unknown as OperatorCall;
    let id = '';
    const asked = {
      ...{ action: 'queues.pause', target: `/queues/${click ?? randomUUID()}`, input, idempotency_key: click },
      operator: { name: 'Ada', role: 'admin', person_id: null, credential: { kind: 'shared_key' } },
    } as const;
    await recorded(deps, asked, (action_id) => {
      id = action_id;
      return Promise.resolve(outcome());
    }).catch(() => undefined);
    return id;
  }

  async function rowOf(id: string): Promise<OperatorAction> {
    const row = await rows.get(id);
    if (row === undefined) throw new Error(`${id} is gone`);
    return row;
  }

  const verdict = () => verifyRecord.handle({} as never, { ...at } as unknown as OperatorCall);
  const faults = async () => (await verdict()).faults.map(({ kind, action_id }) => [kind, action_id]);
  const refuse = (): never => {
    throw new AppError('INVALID_STATE', 'no');
  };

  /** What somebody does to the store behind our back, until it is put back as it was. */
  async function tampered(id: string, change: (row: OperatorAction) => OperatorAction, look: () => Promise<void>) {
    const before = await rows.get(id);
    await rows.update(id, change);
    await look();
    await rows.update(id, () => before);
  }

  it('is whole after two processes did several things at once, one was refused, one done anew and one killed midway', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => act({ process: i % 2, input: { ratio: i / 3, name: 'é\u202e' } })),
    );
    const click = randomUUID();
    const refused = await act({ click }, refuse);
    expect(await rows.get(refused)).toMatchObject({ outcome: 'refused', error_code: 'INVALID_STATE' });
    expect(await act({ process: 1, click })).toBe(refused);
    expect(await rows.get(refused)).toMatchObject({ outcome: 'done' });
    await act({ process: 1 }, () => {
      throw new Error('a fault');
    });
    // Killed: what it wrote last says that it was begun, and no more of its process comes.
    const dying = { ...at, store: await at.another(), log: silent, counters: noCounters } as unknown as OperatorCall;
    let begun = '';
    await new Promise<void>((resolve) => {
      const asked = { action: 'keys.rotate', target: '/keys', input: {}, idempotency_key: undefined };
      const operator = { name: 'Ada', role: 'admin', person_id: null, credential: { kind: 'shared_key' } } as const;
      void recorded(dying, { ...asked, operator }, (action_id) => {
        begun = action_id;
        resolve();
        return new Promise(() => undefined);
      });
    });
    expect(await rows.get(begun)).toMatchObject({ outcome: 'begun', ended_at: null });
    await act();
    expect(await verdict()).toMatchObject({ is_whole: true, without_hash: 0, chains: 3, faults: [] });
  });

  it('finds a row that was altered, whatever of it was', async () => {
    const id = await act({ input: { reason: 'a drill' } });
    await act();
    for (const change of [
      { by: 'Bob' },
      { outcome: 'refused' },
      { answer: { so: 'it is not' } },
      { input: { reason: 'none' } },
      { at: '2026-01-01T00:00:00.000Z' },
      { target: '/elsewhere' },
      { links: [] },
    ] as Partial<OperatorAction>[])
      await tampered(
        id,
        (row) => ({ ...row, ...change }),
        async () => {
          const found = await faults();
          expect([change, found.length > 0]).toEqual([change, true]);
        },
      );
    expect((await verdict()).is_whole).toBe(true);
  });

  it('finds a row that was altered before it was done anew', async () => {
    const click = randomUUID();
    const id = await act({ click }, refuse);
    const before = await rows.get(id);
    await rows.update(id, (row) => ({ ...row, by: 'Bob' }));
    const process = processes.push(await at.another()) - 1;
    await act({ process, click });
    expect(await faults()).toContainEqual(['altered', id]);
    await rows.update(id, (row) => ({ ...row, by: before?.by ?? '' }));
    expect(await faults()).toEqual([['altered', id]]);
    await rows.update(id, () => before);
    // What the other process wrote there is gone, and its next write says so.
    const next = await act({ process });
    expect(await faults()).toEqual([['missing', next]]);
    await rows.delete(next);
  });

  it('finds a row that was altered with its own hash made anew, by the one after', async () => {
    const [id] = [await act(), await act()];
    await tampered(
      id,
      (row) => {
        const forged = { ...row, by: 'Bob' };
        const begun = { ...forged, ...BEGUN };
        const [first, last] = row.links ?? [];
        if (first === undefined || last === undefined) throw new Error('it has no links');
        return {
          ...forged,
          links: [
            { ...first, content: contentHash(begun) },
            { ...last, content: contentHash(forged) },
          ],
        };
      },
      async () => {
        expect(await faults()).toEqual([
          ['altered', id],
          ['altered', id],
        ]);
      },
    );
  });

  it('finds that a row was removed', async () => {
    const [id, next] = [await act(), await act()];
    const row = await rowOf(id);
    await rows.delete(id);
    expect(await faults()).toEqual([['missing', next]]);
    await rows.insert(row);
    expect((await verdict()).is_whole).toBe(true);
  });

  it('reads rows of earlier releases, which have no hash, and goes on after a write that failed', async () => {
    const { links: _links, expires_at: _expires, ...old } = await rowOf(await act({ process: 1 }));
    await rows.insert({ ...old, action_id: `act_${randomUUID()}` });
    const before = await verdict();
    expect(before).toMatchObject({ is_whole: true, without_hash: 1 });
    let isAway = true;
    const away = { insert: () => Promise.reject(new Error('away')) };
    const store = { ...at.store, collection: () => (isAway ? away : rows) };
    const process = processes.push(store as unknown as Store) - 1;
    await act({ process });
    isAway = false;
    await act({ process });
    expect(await verdict()).toMatchObject({ is_whole: true, chains: before.chains + 1 });
  });

  it('is kept for 400 days after its last write, and begins later without an alarm', async () => {
    const [first, second] = [await act(), await act()];
    at.clock.advance(399 * DAY);
    const late = await act();
    at.clock.advance(2 * DAY);
    expect([await rows.get(first), await rows.get(second)]).toEqual([undefined, undefined]);
    expect(await verdict()).toMatchObject({ is_whole: true, without_hash: 1, actions: 2 });
    await rows.delete(late);
    const next = await act();
    expect(await faults()).toEqual([['missing', next]]);
  });
});
