import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../support/project-files.ts';

/** However slow the machine is. */
const WITHIN_S = 540;

const Summary = z.object({
  sdk_version: z.string(),
  adcp_version: z.string(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  storyboards_executed: z.array(z.string()),
  failures: z.array(z.object({ storyboard_id: z.string(), step_id: z.string(), reason: z.string().nullish() })),
});

/** As much of the whole report as tells of each step. */
const Report = z.object({
  tracks: z.array(
    z.object({
      scenarios: z.array(
        z.object({
          /** The board's id, a slash, and the phase. */
          scenario: z.string(),
          steps: z
            .array(
              z.object({
                passed: z.boolean(),
                skipped: z.boolean().optional(),
                skip_reason: z.string().optional(),
                warnings: z.array(z.string()).optional(),
              }),
            )
            .optional(),
        }),
      ),
    }),
  ),
  summary: z.object({ validations_not_applicable: z.int().optional() }),
});

/** One step of a board. */
export interface BoardStep {
  board: string;
  /** False where it was left out, too. */
  hasPassed: boolean;
  /** Where it was left out: why. */
  skipped?: string;
}

/** What a run of boards told. The runner tells no steps of boards on security, and counts them in the sums. */
export interface BoardsRun extends z.infer<typeof Summary> {
  steps: BoardStep[];
  /** Checks that the runner does not know, and has passed over. */
  unread: number;
}

/**
 * Runs the storyboards that `@adcp/sdk` picks by an agent's capabilities, or those named, by commas; its own exit code says nothing.
 * @throws {Error} when it wrote no summary.
 */
export async function runBoards(
  transport: 'a2a' | 'mcp',
  url: string,
  key: string,
  boards?: string,
): Promise<BoardsRun> {
  const folder = await mkdtemp(join(tmpdir(), 'storyboards-'));
  const [path, whole] = [join(folder, 'summary.json'), join(folder, 'report.json')];
  const program = join(projectRoot, 'packages/adcp-buyer/node_modules/@adcp/sdk/bin/adcp.js');
  const args = ['storyboard', 'run', url, '--protocol', transport, '--auth', key, '--allow-http', '--webhook-receiver'];
  if (boards !== undefined) args.push('--storyboards', boards);
  args.push('--timeout', String(WITHIN_S), '--json', '--summary-output', path);
  const out = await open(whole, 'w');
  try {
    const child = spawn(process.execPath, [program, ...args], {
      // It keeps settings and looks for newer versions of itself at home.
      env: { ...process.env, HOME: folder, GITHUB_STEP_SUMMARY: '' },
      // A file has all that is written before it ends; a pipe might not.
      stdio: ['ignore', out.fd, 'ignore'],
      timeout: WITHIN_S * 1000,
    });
    await once(child, 'exit');
    const summary = Summary.parse(JSON.parse(await readFile(path, 'utf8')));
    return { ...summary, ...stepsOf(await readFile(whole, 'utf8')) };
  } finally {
    await out.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The steps of a whole report; none where the run broke off before it wrote one. @throws {Error} for one of another form. Pure. */
export function stepsOf(report: string): Pick<BoardsRun, 'steps' | 'unread'> {
  if (report === '') return { steps: [], unread: 0 };
  const { tracks, summary } = Report.parse(JSON.parse(report));
  const steps = tracks.flatMap(({ scenarios }) =>
    scenarios.flatMap(({ scenario, steps: its = [] }) =>
      its.map(({ passed, skipped = false, skip_reason: code, warnings = [] }): BoardStep => {
        const board = scenario.slice(0, scenario.lastIndexOf('/'));
        if (!skipped) return { board, hasPassed: passed };
        return { board, hasPassed: false, skipped: warnings[0] ?? code ?? 'no reason is told' };
      }),
    ),
  );
  return { steps, unread: summary.validations_not_applicable ?? 0 };
}
