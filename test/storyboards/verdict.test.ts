import { describe, expect, it } from 'vitest';
import { stepsOf } from './boards.ts';
import type { BoardsRun } from './boards.ts';
import { OF_RELEASE } from './explained.ts';
import type { Explained } from './explained.ts';
import { complaintsOf, verdictsOf } from './verdict.ts';

type Step = { passed: boolean; skipped?: boolean; skip_reason?: string; warnings?: string[] };
const skipped = (why: string, skip_reason = 'prerequisite_failed'): Step => ({
  passed: true,
  skipped: true,
  skip_reason,
  warnings: [why],
});

const yes: Step = { passed: true };
const no: Step = { passed: false };

/** A run of one board with steps of two phases, as the runner reports it. */
function runOf(board: string, steps: Step[], more: Partial<BoardsRun> = {}): BoardsRun {
  const [first, ...others] = steps;
  const scenarios = [
    { scenario: `${board}/setup`, steps: first === undefined ? [] : [first] },
    { scenario: `${board}/main`, steps: others },
  ];
  const told = stepsOf(JSON.stringify({ tracks: [{ scenarios }], summary: {} }));
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  return { sdk_version: '6', adcp_version: OF_RELEASE, ...counts, storyboards_executed: [board], ...told, ...more };
}
const failing = (board: string, step_id: string) => ({ failures: [{ storyboard_id: board, step_id, reason: 'no' }] });
const explained: Explained[] = [{ board: 'a/b', step: 'two', whose: 'theirs', why: 'it is so' }];

describe('what came of a board of storyboards', () => {
  it.each<[string, BoardsRun, object]>([
    ['all of it passed', runOf('a/b', [yes, yes]), { word: 'ok', passed: 2, failed: 0, skipped: 0, reasons: [] }],
    ['some passed, and some were skipped', runOf('a/b', [yes, skipped('x')]), { word: 'ok', passed: 1, skipped: 1 }],
    [
      'all were skipped',
      runOf('a/b', [skipped('there is no such tool'), skipped('x'), skipped('x')]),
      { word: 'skipped', passed: 0, skipped: 3, reasons: ['there is no such tool', 'x'] },
    ],
    ['none is told, and some passed', runOf('a/b', [], { passed: 3 }), { word: 'ok' }],
    ['none is told, and none passed', runOf('a/b', []), { word: 'skipped', reasons: [expect.stringMatching('none')] }],
    [
      'one fails that is explained',
      runOf('a/b', [yes, no, skipped('x')], failing('a/b', 'two')),
      { word: 'explained', passed: 1, failed: 1, skipped: 1, explained, reasons: [] },
    ],
    [
      'one fails that is not',
      runOf('a/b', [yes, no], failing('a/b', 'one')),
      { word: 'FAILED', passed: 1, failed: 1, reasons: ['one: no'] },
    ],
    [
      'it is newer than what is spoken',
      runOf('a/b', [skipped('since 4.0', 'not_applicable')], { storyboards_executed: [] }),
      { word: 'FAILED', reasons: ['nobody has looked at it: since 4.0'] },
    ],
  ])('is told where %s', (_, run, verdict) => {
    expect(verdictsOf('a2a', run, explained)).toMatchObject([{ board: 'a/b', ...verdict }]);
  });

  it('is complained of as a whole where boards or checks are newer than what is known, or none was run', () => {
    expect(complaintsOf(runOf('a', [yes]))).toEqual([]);
    expect(complaintsOf(runOf('a', [yes], { adcp_version: '3.9.0' }))).toEqual([expect.stringContaining('3.9.0')]);
    expect(complaintsOf(runOf('a', [yes], { unread: 2 }))).toEqual([expect.stringContaining('2 checks')]);
    expect(complaintsOf(runOf('a', [], { storyboards_executed: [] }))).toEqual(['no board was run']);
  });
});
