import { parseArgs } from 'node:util';
import { createHttpAdServer } from '../adservers/http/http-ad-server.ts';
import { adServerContract } from '../adservers/kit/ad-server-cases.ts';
import { roughWay } from '../adservers/kit/rough-way.ts';
import { runContract } from '../adservers/kit/run-cases.ts';
import type { KitResult } from '../adservers/kit/run-cases.ts';
import { bridgedSimulatorWorld } from '../adservers/kit/simulator-world.ts';
import { steerOverHttp } from '../adservers/kit/steer-over-http.ts';
import { createOutbound } from '../platform/outbound/outbound-client.ts';
import type { Outbound } from '../platform/outbound/outbound-client.ts';

const HELP = `usage: npm run ad-server:kit -- --url URL --token TOKEN [--control] [--only 1,2,3]

Runs the forty cases of ad servers over the HTTP bridge at URL, one line a case. Makes orders of its own there, some of which run.
--control  steers the simulator's process (npm run ad-server) by POST /_control; without it, only what needs no staging there runs:
           lost, late and failed answers are staged on the way
--only     these cases alone
Exit code 0: no case failed; 1: some did, or nothing answers; 2: the command line is wrong
`;

export interface CommandOutput {
  write: (text: string) => void;
  writeError: (text: string) => void;
}

/** `npm run ad-server:kit`. Answers the exit code. */
export async function runKitCommand(args: readonly string[], { write, writeError }: CommandOutput): Promise<number> {
  let asked: Asked | undefined;
  try {
    asked = askedFor(args);
  } catch (error) {
    writeError(`${messageOf(error)}\n${HELP}`);
    return 2;
  }
  if (asked === undefined) {
    write(HELP);
    return 0;
  }
  const outbound = createOutbound({ allowLoopback: false, trustsUrls: true });
  try {
    const result = await runOver(asked, outbound, write);
    write(`${closingLine(result)}\n`);
    return result.failed.length > 0 ? 1 : 0;
  } catch (error) {
    writeError(`${messageOf(error)}\n`);
    return 1;
  } finally {
    await outbound.close();
  }
}

interface Asked {
  url: string;
  token: string;
  control: boolean;
  /** Numbers of cases; empty: all of them. */
  only: number[];
}

/** What the command line asks for; nothing for help. @throws {TypeError} naming the mistake. */
function askedFor(args: readonly string[]): Asked | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { url: text, token: text, only: text, control: flag, help: flag },
  });
  if (values.help) return undefined;
  const { url, token, control, only } = values;
  if (url === undefined || !URL.canParse(url)) throw new TypeError('--url must be the URL of an ad server’s bridge');
  if (token === undefined) throw new TypeError('--token is required');
  const numbers = (only?.split(',') ?? []).map(Number);
  if (!numbers.every((number) => Number.isInteger(number) && number >= 1)) {
    throw new TypeError('--only must be numbers of cases, such as 1,2,3');
  }
  return { url, token, control, only: numbers };
}

async function runOver(
  { url, token, control, only }: Asked,
  outbound: Outbound,
  write: CommandOutput['write'],
): Promise<KitResult> {
  const clock = { now: () => Date.now() };
  const way = control ? undefined : roughWay((request) => outbound.send(request));
  const open = () => createHttpAdServer({ url, token, outbound: way ?? outbound, clock });
  const { adapter } = await open().describe();
  const steered = control ? await steerOverHttp({ url, token, outbound }) : undefined;
  if (steered !== undefined) clock.now = () => steered.clock.now();
  write(`${adapter} at ${url}${control ? ', steered' : ''}\n`);
  const world = steered === undefined ? way?.world : bridgedSimulatorWorld(steered.simulator);
  const contract = adServerContract({ open, clock, ...(world !== undefined && { world }) });
  const chosen = contract.filter(({ number }) => only.length === 0 || only.includes(number));
  return await runContract(chosen, {
    onPassed: ({ number, name, without }) => {
      const unseen = without.length === 0 ? '' : ` (not looked at: ${without.join(', ')})`;
      write(`pass ${number} ${name}${unseen}\n`);
    },
    onFailed: ({ number, name, error }) => {
      write(`FAIL ${number} ${name}\n     ${error.message}\n`);
    },
    onSkipped: ({ number, name, reason }) => {
      write(`skip ${number} ${name}: ${reason}\n`);
    },
  });
}

function closingLine({ passed, failed, skipped }: KitResult): string {
  const total = passed.length + failed.length + skipped.length;
  const named = (cases: readonly { number: number }[]) =>
    cases.length === 0 ? '0' : `${cases.length} (${cases.map(({ number }) => number).join(', ')})`;
  return `${total} cases: ${passed.length} passed, failed ${named(failed)}, skipped ${named(skipped)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
