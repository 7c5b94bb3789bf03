import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Says what became of a step, in the form that `play` reads. */
export function tell(binding: string, step: string, faults: readonly string[]): void {
  const reason = faults.length > 0 && { reason: faults.join('; ') };
  console.log(JSON.stringify({ binding, step, outcome: faults.length === 0 ? 'ok' : 'failed', ...reason }));
}

/** What a program printed, whatever it ended by. */
export async function printedBy(
  command: string,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; withinMs: number },
): Promise<string> {
  const child = spawn(command, args, {
    env: options.env,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: options.withinMs,
  });
  const ended = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  await ended;
  return text;
}
