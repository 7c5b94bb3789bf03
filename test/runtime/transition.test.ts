import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, notified, TaskCommitted, TaskOver } from '../../src/runtime/transition.ts';
import type { NewEvent } from '../../src/runtime/transition.ts';
import { canTransition, isTerminal, TaskState } from '../../src/runtime/states.ts';
import { lastSequence } from '../../src/runtime/task-run.ts';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { sampleRun } from './support/sample-run.ts';

const event: fc.Arbitrary<NewEvent> = fc.oneof(
  fc.record({ state: fc.constantFrom(...TaskState.options), message: fc.string() }),
  fc.record({ artifact: fc.record({ artifact_id: fc.string(), parts: fc.array(fc.record({ text: fc.string() })) }) }),
);
/** Clocks of several machines: they go forth, stand and go back. */
const nowMs = fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 });

/** Appends what can be appended; refusals leave the run as it is. */
function appendAll(run: TaskRun, steps: readonly (readonly [NewEvent, number])[]): TaskRun {
  let latest = run;
  for (const [news, at] of steps) {
    try {
      latest = append(latest, news, at);
    } catch (error) {
      const isKnown = error instanceof TaskOver || (error as Error).message.startsWith('a task cannot move');
      if (!isKnown) throw error;
    }
  }
  return latest;
}

describe('[T1] appending to a run', () => {
  it('leaves sequences without gaps, legal moves only, and the first terminal state as the last event', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, nowMs), { maxLength: 30 }), (steps) => {
        const { events, state } = appendAll(sampleRun(), steps);
        expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
        const states = events.flatMap((event) => (event.kind === 'status' ? [event.state] : []));
        expect(states.at(-1)).toBe(state);
        states.slice(1).forEach((to, i) => {
          expect(canTransition(states[i] ?? 'start', to)).toBe(true);
        });
        const ends = events.findIndex((event) => event.kind === 'status' && isTerminal(event.state));
        expect([-1, events.length - 1]).toContain(ends);
      }),
    );
  });

  it('[W15] gives each event a later timestamp than the one before, whatever the clocks say', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, nowMs), { maxLength: 30 }), (steps) => {
        const { events } = appendAll(sampleRun(), steps);
        const times = events.map(({ timestamp }) => timestamp);
        expect(times).toEqual([...new Set(times)].sort());
      }),
    );
  });

  it('refuses everything after the end, and names the run that is over', () => {
    const over = append(sampleRun(), { state: 'completed', message: 'done' }, 1_700_000_000_000);
    const again = (): unknown => append(over, { state: 'failed', message: 'late' }, 1_700_000_000_001);
    expect(again).toThrow(TaskOver);
    expect(() => append(over, { artifact: { artifact_id: 'a', parts: [] } }, 1)).toThrow(TaskOver);
  });

  it('[T1.no-return] refuses to cancel a run that is committed, and nothing else', () => {
    const committed_at = '2023-11-14T22:13:21.000Z';
    const run = sampleRun({ committed_at });
    expect(() => append(run, { state: 'canceled', message: '' }, 1)).toThrow(new TaskCommitted(committed_at));
    for (const state of ['working', 'input-required', 'completed', 'failed'] as const) {
      expect(append(run, { state, message: '' }, 1)).toMatchObject({ state, committed_at });
    }
  });

  it('[B7] [B7.effect] frees an idempotency key where nothing took effect, and what is exclusive wherever the run is over', () => {
    const run = sampleRun({ idempotency_key: 'k', idempotency_live: true, exclusive_key: 'e', exclusive_live: true });
    for (const state of ['completed', 'failed', 'canceled', 'rejected'] as const) {
      const over = append(run, { state, message: '' }, 1_700_000_000_000);
      expect([over.idempotency_live, over.exclusive_live]).toEqual([state === 'completed', false]);
      expect(over.run_due_at).toBeNull();
      expect(over.expires_at).not.toBeNull();
      const data = { error: { code: 'SERVICE_UNAVAILABLE', details: { effect: 'unknown' } } };
      const unknown = append(run, { state, message: '', data }, 1_700_000_000_000);
      expect([unknown.idempotency_live, unknown.exclusive_live]).toEqual([true, false]);
    }
  });

  it('owes a notice exactly when somebody listens', () => {
    const news: NewEvent = { state: 'working', message: '' };
    expect(append(sampleRun({ registrations: [] }), news, 1_700_000_000_000).notify_due_at).toBeNull();
    const [registration] = sampleRun().registrations;
    const ended = registration && { ...registration, ended_at: '2026-01-01T00:00:00.000Z' };
    expect(append(sampleRun({ registrations: ended ? [ended] : [] }), news, 1).notify_due_at).toBeNull();
    expect(append(sampleRun(), news, 1_700_000_000_000).notify_due_at).not.toBeNull();
  });

  it('is settled once the newest event is told, in whatever order the tellings are noted', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4], { minLength: 4 }), (order) => {
        let run = sampleRun();
        for (let i = 0; i < 3; i++) run = append(run, { state: 'working', message: '' }, 1_700_000_000_000 + i);
        for (const upTo of order) {
          run = notified(run, upTo);
          expect(run.notify_due_at === null).toBe(run.notified_sequence === lastSequence(run));
        }
        expect(run.notify_due_at).toBeNull();
      }),
    );
  });
});
