import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { claimDue } from '../../src/directory/scheduled-check/claim-due.ts';
import { nextLookMs } from '../../src/directory/scheduled-check/next-look.ts';
import {
  checkId,
  endCheck,
  findCheck,
  HELD_MS,
  noteCheck,
  scheduleCheck,
  scheduledChecks,
} from '../../src/directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { wrappedStore } from '../../src/platform/store/wrapped-store.ts';
import { runDueChecks } from '../../src/registry/schedule/run-due-checks.ts';
import type { CheckRun } from '../../src/registry/schedule/run-due-checks.ts';
import { installation, silent } from '../directory/support/installation.ts';
import type { Installation } from '../directory/support/installation.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;

describeOnStores('checks by schedule on %s', (kind) => {
  let at: Installation;
  beforeAll(async () => {
    at = await installation([scheduledChecks], kind);
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    const { rows } = await at.store
      .collection(scheduledChecks)
      .find({ where: { kind: { in: ['adagents', 'badges'] } }, limit: 1000 });
    for (const { check_id } of rows) await at.store.collection(scheduledChecks).delete(check_id);
  });

  const schedule = async (...subjects: string[]) => {
    for (const subject of subjects) await scheduleCheck(at, 'adagents', subject);
  };
  const hosts = (count: number) => Array.from({ length: count }, (_, n) => `h${n}-${randomUUID()}.example`);
  const runOf = (look: (subject: string, signal: AbortSignal) => Promise<void>): CheckRun => ({
    kind: 'adagents',
    hostOf: (subject) => subject.split('/')[0] ?? '',
    look: async (check, signal) => {
      const startedAt = at.clock.now();
      await look(check.subject, signal);
      await noteCheck(at, check.check_id, { startedAt, tookMs: 0, error: null });
    },
  });
  const never = () => new Promise<never>(() => undefined);
  const run = (check: CheckRun, more: object = {}, stop?: AbortSignal) =>
    runDueChecks({ ...at, log: silent, untilSlow: never, ...more }, check, stop);

  it('[R15] looks at each thing once, however many processes look', async () => {
    const subjects = hosts(150);
    await schedule(...subjects);
    const seen: string[] = [];
    const stores: Store[] = [at.store, await at.another(), await at.another()];
    const look = (subject: string) => {
      seen.push(subject);
      return Promise.resolve();
    };
    await Promise.all(stores.map((store) => run(runOf(look), { store })));
    expect(seen.sort()).toEqual(subjects.sort());
  });

  it('[R15] has 64 hosts under way and no more, and goes on without a pause while more are due', async () => {
    const subjects = hosts(100);
    await schedule(...subjects);
    const under = new Map<string, () => void>();
    let most = 0;
    const running = run(
      runOf((subject) => {
        const ended = new Promise<void>((resolve) => under.set(subject, resolve));
        most = Math.max(most, under.size);
        // The first 64 end when all of them are there, later ones at once.
        if (under.size === 64) for (const end of under.values()) end();
        else if (most === 64) under.get(subject)?.();
        return ended.then(() => {
          under.delete(subject);
        });
      }),
    );
    expect(await running).toBe(100);
    expect(most).toBe(64);
  });

  it('[R15] goes on where all that are under way end while it asks for slow ones', async () => {
    await schedule(...hosts(100));
    const ends: (() => void)[] = [];
    let asked = 0;
    // Each look waits until slow ones are asked for, and those are not known before all of them have ended.
    const store = wrappedStore(at.store, (inner) => ({
      ...inner,
      find: async (query) => {
        if ((query.where as { lane?: unknown }).lane === 'slow') {
          // The first time they have only just begun.
          if (++asked === 1) return inner.find(query);
          for (const end of ends.splice(0)) end();
          await until(() => open === 0);
        }
        return inner.find(query);
      },
    }));
    let open = 0;
    const look = async () => {
      open++;
      await new Promise<void>((resolve) => ends.push(resolve));
      open--;
    };
    const check = { ...runOf(look), look: () => look() };
    expect(await run(check, { store })).toBe(100);
  });

  it('[R15] keeps nobody waiting for hosts that hang, and ends with them when told to stop', async () => {
    const hanging = hosts(80);
    const quick = hosts(80);
    await schedule(...hanging);
    at.clock.advance(1);
    await schedule(...quick);
    const stop = new AbortController();
    const seen = new Set<string>();
    let running = Promise.resolve(0);
    await new Promise<void>((resolve) => {
      running = run(
        runOf((subject, signal) => {
          if (hanging.includes(subject))
            return new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                reject(signal.reason as Error);
              });
            });
          seen.add(subject);
          if (seen.size === quick.length) resolve();
          return Promise.resolve();
        }),
        // Those that hang are known to as soon as they begin.
        { untilSlow: (subject: string) => (hanging.includes(subject) ? Promise.resolve() : never()) },
        stop.signal,
      );
    });
    stop.abort();
    await running;
    const left = await Promise.all(hanging.map((subject) => findCheck(at, 'adagents', subject)));
    for (const check of left) expect(check).toMatchObject({ lane: 'slow', due_at: toTimestamp(at.clock.now()) });
  });

  it('[R15] asks one host one thing at a time, and lets it fill no queue', async () => {
    const busy = Array.from({ length: 20 }, (_, n) => `busy.example/${n}`);
    await schedule(...busy);
    at.clock.advance(1);
    await schedule('other.example');
    let [under, most] = [0, 0];
    const seen: string[] = [];
    const round = () =>
      run(
        runOf(async (subject) => {
          seen.push(subject);
          if (subject === 'other.example') return;
          most = Math.max(most, ++under);
          await new Promise(setImmediate);
          under--;
        }),
      );
    await round();
    expect(seen).toContain('other.example');
    for (let n = 0; n < 20 && seen.length < 21; n++) {
      at.clock.advance(2000);
      await round();
    }
    expect([seen.length, most]).toEqual([21, 1]);
  });

  it('[R15] lets the claims of a process that died come up again', async () => {
    await schedule(...hosts(3));
    const lane = { kind: 'adagents', lane: 'usual', most: 64 } as const;
    const host = { of: (subject: string) => subject, isBusy: () => false };
    expect((await claimDue(at, lane, host)).taken).toHaveLength(3);
    expect((await claimDue(at, lane, host)).taken).toHaveLength(0);
    at.clock.advance(HELD_MS);
    expect((await claimDue(at, lane, host)).taken).toHaveLength(3);
  });

  it('[R15] puts what took long on the slow lane, and back when it is quick again', async () => {
    const [subject = ''] = hosts(1);
    await schedule(subject);
    const id = checkId('adagents', subject);
    await noteCheck(at, id, { startedAt: at.clock.now(), tookMs: 5000, error: 'did not answer in time' });
    expect(await findCheck(at, 'adagents', subject)).toMatchObject({ lane: 'slow', failures: 1 });
    at.clock.advance(24 * HOUR_MS);
    expect(await run(runOf(() => Promise.resolve()))).toBe(1);
    expect(await findCheck(at, 'adagents', subject)).toMatchObject({ lane: null, failures: 0 });
  });

  it('[R15] has long URLs that begin alike checked each for itself, and still finds the rows of 0.1.0', async () => {
    const [a, b] = ['a', 'b'].map((end) => `https://x.example/${'p'.repeat(600)}/${end}`) as [string, string];
    const row = {
      ...{
        check_id: `badges/${a.slice(0, 480)}`,
        kind: 'badges' as const,
        subject: a,
        due_at: toTimestamp(at.clock.now()),
      },
      ...{ last_tried_at: null, last_ok_at: null, last_error: null, revision: 1 },
    };
    await at.store.collection(scheduledChecks).insert(row);
    await scheduleCheck(at, 'badges', a);
    await scheduleCheck(at, 'badges', b);
    expect(await at.store.collection(scheduledChecks).count({ kind: 'badges' })).toBe(2);
    expect((await findCheck(at, 'badges', a))?.check_id).toBe(row.check_id);
    const host = { of: (subject: string) => subject, isBusy: () => false };
    expect((await claimDue(at, { kind: 'badges', lane: 'usual', most: 9 }, host)).taken).toHaveLength(2);
    await endCheck(at, 'badges', a);
    expect(await findCheck(at, 'badges', a)).toBeUndefined();
    expect(await findCheck(at, 'badges', b)).toMatchObject({ subject: b });
  });
});

it('[R15] comes back later after each failure, a day later at most, and not all at once', () => {
  const hours = (failures: number, id = 'x') => nextLookMs(id, failures) / HOUR_MS;
  for (const [failures, most] of [
    [0, 24],
    [1, 0.25],
    [2, 0.5],
    [4, 2],
    [7, 16],
    [8, 24],
    [1000, 24],
  ] as const) {
    expect(hours(failures)).toBeLessThanOrEqual(most);
    expect(hours(failures)).toBeGreaterThanOrEqual(most * 0.8);
  }
  const spread = Array.from({ length: 100 }, (_, n) => hours(8, String(n)));
  expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan(3);
});
