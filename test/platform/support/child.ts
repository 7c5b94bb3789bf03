import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundle } from '../../support/bundle.ts';

export interface Child {
  /** All lines said so far. */
  readonly lines: readonly string[];
  /** Resolves with the first line, said or to come, of which this holds. Rejects when the process ends before. */
  line(holds: (line: string, count: number) => boolean): Promise<string>;
  /** Gives it the line it waits for. */
  go(): void;
  kill(): void;
  /** Resolves once it has ended and all its lines are read; with its exit code, null when it was killed. */
  ended: Promise<number | null>;
}

/** Starts a program of this folder. */
export async function startChild(program: string, ...args: string[]): Promise<Child> {
  const file = await bundle(`test/platform/support/${program}`);
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined); // it may have ended
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(([[code]]) => code as number | null);
  return {
    lines,
    line: (holds) =>
      new Promise((resolve, reject) => {
        let count = 0;
        const look = (line: string) => {
          if (!holds(line, ++count)) return false;
          reader.off('line', look);
          resolve(line);
          return true;
        };
        if (lines.some(look)) return;
        reader.on('line', look);
        void ended.then((code) => {
          reject(new Error(`${program} ended with ${String(code)} before it said so`));
        });
      }),
    go: () => child.stdin.write('go\n'),
    kill: () => child.kill('SIGKILL'),
    ended,
  };
}
