import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../../support/until.ts';

export interface Child {
  process: ChildProcess;
  /** The JSON line it printed when it was ready. */
  ready: Record<string, unknown>;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  /** What it has written so far. */
  output: { stdout: string; stderr: string };
  kill(signal: NodeJS.Signals): Promise<number | string>;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Starts one entry as a process of its own and waits for its ready line. */
export async function startChild(entry: string, env: Record<string, string>, args: string[] = []): Promise<Child> {
  const child = launch(entry, env, args);
  const ready = () => child.output.stdout.split('\n').find((line) => line.startsWith('{"ready"') && line.endsWith('}'));
  const tooEarly = child.ended.then((how) => {
    throw new Error(`${entry} ended with ${how} before it was ready:\n${child.output.stderr}`);
  });
  const line = await Promise.race([until(ready), tooEarly]);
  return { ...child, ready: JSON.parse(line) as Record<string, unknown> };
}

/** Starts one entry, of scripts or of a {@link bundle}, as a process of its own. */
export function launch(entry: string, env: Record<string, string>, args: string[] = []): Omit<Child, 'ready'> {
  const path = process.env['PATH'] ?? '';
  const child = spawn(process.execPath, ['--enable-source-maps', entry, ...args], {
    cwd: ROOT,
    env: { PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text));
  }
  const ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | string);
  return {
    process: child,
    ended,
    output,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
