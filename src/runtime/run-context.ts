import { toTimestamp } from '../platform/clock.ts';
import { canonicalJson } from '../platform/crypto/canonical-json.ts';
import type { Artifact, Part } from './content.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { notified, TaskOver, transition } from './transition.ts';
import type { NewEvent } from './transition.ts';
import { isTerminal } from './states.ts';
import { callContext } from './submit.ts';
import type { RunContext } from './task-definition.ts';
import { lastSequence } from './task-run.ts';
import type { TaskRun } from './task-run.ts';

/** What a queued task works with during one turn. `run` follows the row as this turn changes it. */
export function createRunContext(deps: RuntimeDependencies, taken: TaskRun, signal: AbortSignal): RunContext {
  let run = taken;
  /** The sequence of the newest event that is known to be told, with all before: the next write takes it along. */
  let toldUpTo = taken.notified_sequence;
  const { organization_id, principal_id, task_id } = run;
  const caller = { organization_id, principal_id, scopes: ['tasks:read', 'tasks:write'] as const };
  const emitted = new Map<string, number>();

  /** @throws {TaskOver} when the task is over, or a later turn has taken it up. */
  function assertCurrent(stored: TaskRun): void {
    if (isTerminal(stored.state) || stored.turn !== taken.turn) throw new TaskOver(stored);
  }

  async function checkpoint(): Promise<TaskRun> {
    signal.throwIfAborted();
    if (await deps.runs.isCurrent(run)) return run;
    const stored = await deps.runs.get(task_id);
    if (stored === undefined) throw new Error(`task ${task_id} is gone`);
    assertCurrent(stored);
    return stored;
  }

  /** Announces news unless the row, as it stands when it is written, says that this has been done. */
  async function announce(event: NewEvent, isAnnounced: (stored: TaskRun) => boolean): Promise<void> {
    if (isAnnounced(run)) return;
    signal.throwIfAborted();
    const told = (moved: TaskRun) => {
      toldUpTo = Math.max(toldUpTo, lastSequence(moved));
    };
    const decide = (stored: TaskRun) => {
      if (stored.turn !== taken.turn) throw new TaskOver(stored);
      return isAnnounced(stored) ? undefined : { event, patch: { notified_sequence: toldUpTo } };
    };
    run = (await transition(deps, task_id, decide, told)) ?? run;
  }

  return {
    ...callContext(deps, caller, run),
    get run() {
      return { ...run, notified_sequence: Math.max(run.notified_sequence, toldUpTo) };
    },
    signal,
    async step({ details, ...step }) {
      const percentage = Math.round(((step.step_number - 1) / step.total_steps) * 100);
      const event: NewEvent = {
        state: 'working',
        message: step.current_step,
        data: { ...details, percentage, ...step },
      };
      await announce(event, (stored) => hasStep(stored, step.current_step));
    },
    async emit(update) {
      const content = contentKey('artifact' in update ? update.artifact : update.parts);
      const times = (emitted.get(content) ?? 0) + 1;
      emitted.set(content, times);
      const event: NewEvent =
        'artifact' in update
          ? { artifact: update.artifact }
          : { state: 'working', message: 'working', parts: update.parts };
      await announce(event, (stored) => timesAnnounced(stored, content) >= times);
    },
    checkpoint,
    async commit() {
      if (run.committed_at !== null) {
        await checkpoint();
        return;
      }
      signal.throwIfAborted();
      const outcome = await deps.runs.update(task_id, (stored) => {
        assertCurrent(stored);
        if (stored.committed_at !== null) return undefined;
        return { ...notified(stored, toldUpTo), committed_at: toTimestamp(deps.clock.now()) };
      });
      if (outcome === undefined) throw new Error(`task ${task_id} is gone`);
      const { row } = outcome;
      run = row;
      if (outcome.changed) deps.log.info({ task_id, committed_at: row.committed_at }, 'task committed');
    },
  };
}

/** Whether a repeated run has announced this step before: then its event and its deliveries exist already. */
function hasStep(run: TaskRun, current_step: string): boolean {
  return run.events.some(
    (event) =>
      event.kind === 'status' &&
      event.state === 'working' &&
      (event.data as { current_step?: string } | undefined)?.current_step === current_step,
  );
}

/** The same text for the same content, whatever else a newer release stored with it. */
function contentKey(content: Artifact | readonly Part[]): string {
  if (!('artifact_id' in content)) return canonicalJson(content.map(known));
  const { artifact_id, name, parts, append, last_chunk } = content;
  return canonicalJson({ artifact_id, name, parts: parts.map(known), append, last_chunk });
}

function known(part: Part): Part {
  if ('text' in part) return { text: part.text };
  if ('data' in part) return { data: part.data };
  const { media_type, filename } = part;
  const of = { ...(media_type !== undefined && { media_type }), ...(filename !== undefined && { filename }) };
  return 'url' in part ? { url: part.url, ...of } : { raw: part.raw, ...of };
}

/** How often earlier attempts at this run, and this one, have announced just this. */
function timesAnnounced(run: TaskRun, wanted: string): number {
  return run.events.filter((event) => {
    const content = event.kind === 'artifact' ? event.artifact : event.parts;
    return content !== undefined && contentKey(content) === wanted;
  }).length;
}
