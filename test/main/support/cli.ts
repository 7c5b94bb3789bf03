import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { runProgram } from '../../../src/main/operator-cli/run-program.ts';
import type { Pause } from '../../../src/main/operator-cli/session.ts';

export interface CliEnd {
  status: number;
  stdout: string;
  stderr: string;
}

/**
 * What `npm run agent -- <args>` does, in this process; `env` is all it knows of the environment, and `between` comes in place of each
 * wait, and is told what has been printed so far.
 */
export async function runAgentCommand(
  args: readonly string[],
  env: Record<string, string>,
  between?: (stdout: string) => ReturnType<Pause>,
): Promise<CliEnd> {
  const end = { stdout: '', stderr: '' };
  const terminal = {
    env,
    write: (text: string) => void (end.stdout += text),
    writeError: (text: string) => void (end.stderr += text),
    ...(between && { pause: () => between(end.stdout) }),
  };
  return { status: await runProgram(terminal, args), ...end };
}

/** Runs `node <entry> <args>` to its end; `env` is all it knows of the environment, besides PATH. */
export async function runCli(entry: string, args: readonly string[], env: Record<string, string>): Promise<CliEnd> {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { status, stdout, stderr };
}
