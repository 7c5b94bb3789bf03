import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
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
export type Summary = z.infer<typeof Summary>;

/**
 * Runs the storyboards that `@adcp/sdk` picks by an agent's capabilities, or those named, by commas; its own exit code says nothing.
 * @throws {Error} when it wrote no summary.
 */
export async function runBoards(transport: 'a2a' | 'mcp', url: string, key: string, boards?: string): Promise<Summary> {
  const folder = await mkdtemp(join(tmpdir(), 'storyboards-'));
  const path = join(folder, 'summary.json');
  const program = join(projectRoot, 'packages/adcp-buyer/node_modules/@adcp/sdk/bin/adcp.js');
  const args = ['storyboard', 'run', url, '--protocol', transport, '--auth', key, '--allow-http', '--webhook-receiver'];
  if (boards !== undefined) args.push('--storyboards', boards);
  const child = spawn(process.execPath, [program, ...args, '--timeout', String(WITHIN_S), '--summary-output', path], {
    // It keeps settings and looks for newer versions of itself at home.
    env: { ...process.env, HOME: folder, GITHUB_STEP_SUMMARY: '' },
    stdio: 'ignore',
    timeout: WITHIN_S * 1000,
  });
  try {
    await once(child, 'exit');
    return Summary.parse(JSON.parse(await readFile(path, 'utf8')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
