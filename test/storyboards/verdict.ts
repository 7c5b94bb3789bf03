import type { BoardsRun } from './boards.ts';
import { EXPLAINED, OF_RELEASE } from './explained.ts';
import type { Explained } from './explained.ts';

/** What came of one board over one transport. */
export interface Verdict {
  board: string;
  /** `skipped`: it has shown nothing, since all of its steps were left out. */
  word: 'ok' | 'explained' | 'skipped' | 'FAILED';
  passed: number;
  failed: number;
  skipped: number;
  /** Sentences for steps that fail, each once. */
  explained: Explained[];
  /** Why it failed, or was skipped as a whole; of one whose steps are not told, that. */
  reasons: string[];
}

/**
 * What came of each board of a run, those that were left out as too new among them. Pure.
 * @param explanations the steps that may fail.
 */
export function verdictsOf(
  transport: string,
  run: BoardsRun,
  explanations: readonly Explained[] = EXPLAINED,
): Verdict[] {
  const { storyboards_executed, failures, steps } = run;
  const boards = new Set([...storyboards_executed, ...steps.map(({ board }) => board)]);
  // Of boards whose steps are not told, it is known of all together how many passed.
  const hasUntold = run.passed > steps.filter(({ hasPassed }) => hasPassed).length;
  return [...boards].map((board): Verdict => {
    const its = steps.filter((step) => step.board === board);
    const failed = failures.filter(({ storyboard_id }) => storyboard_id === board);
    const sentenceFor = (step_id: string) => explanations.find((one) => isOf(one, transport, board, step_id));
    const open = failed.filter(({ step_id }) => sentenceFor(step_id) === undefined);
    const left = its.flatMap(({ skipped }) => skipped ?? []);
    const whys = [...new Set(left)];
    const passed = its.filter(({ hasPassed }) => hasPassed).length;
    const explained = [...new Set(failed.flatMap(({ step_id }) => sentenceFor(step_id) ?? []))];
    const told = { board, passed, failed: failed.length, skipped: left.length, explained };
    // Told of, and not run: it is newer than what the agent says that it speaks.
    if (!storyboards_executed.includes(board)) {
      const reasons = whys.map((why) => `nobody has looked at it: ${why}`);
      return { ...told, word: 'FAILED', reasons };
    }
    const reasons = open.map(({ step_id, reason }) => `${step_id}: ${reason ?? 'no reason is told'}`);
    if (reasons.length > 0) return { ...told, word: 'FAILED', reasons };
    if (explained.length > 0) return { ...told, word: 'explained', reasons: [] };
    if (passed > 0) return { ...told, word: 'ok', reasons: [] };
    if (its.length > 0) return { ...told, word: 'skipped', reasons: whys };
    const why = 'the runner tells none of its steps';
    return { ...told, word: hasUntold ? 'ok' : 'skipped', reasons: [why] };
  });
}

function isOf(one: Explained, transport: string, board: string, step: string): boolean {
  const isIt = one.step === undefined ? board.startsWith(one.board) : board === one.board && step === one.step;
  return isIt && (one.transport ?? transport) === transport;
}

/** Why the run as a whole says less than it seems to: nothing where it does not. Pure. */
export function complaintsOf({ adcp_version, storyboards_executed, unread }: BoardsRun): string[] {
  return [
    ...(adcp_version === OF_RELEASE
      ? []
      : [
          `these are boards of ${adcp_version}, and test/storyboards/explained.ts knows those of ${OF_RELEASE}: read the new ones`,
        ]),
    ...(unread > 0 ? [`${unread} checks of these boards are newer than the runner, which has passed them over`] : []),
    ...(storyboards_executed.length === 0 ? ['no board was run'] : []),
  ];
}
