import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { install } from './installs.ts';
import { startJudgingProxy } from './judging-proxy.ts';
import type { JudgingProxy } from './judging-proxy.ts';
import { knownFault } from './known-faults.ts';
import type { Program } from './programs.ts';

/** What a program says of one step, as a line of JSON. */
const Told = z.object({
  binding: z.string(),
  step: z.string(),
  outcome: z.enum(['ok', 'failed']),
  reason: z.string().nullish(),
});

/** What became of one step. A known fault, or one of a tool that is not there, is `skipped`. */
export interface Finding {
  name: string;
  outcome: 'ok' | 'failed' | 'skipped';
  reason?: string;
  /** What a known fault looked like this time. */
  seen?: string;
}

/** What programs are told; where the agent is among it. */
interface Story {
  base_url: string;
}

/** However slow the machine is; no program takes this long. */
const PROGRAM_WITHIN_MS = 600_000;

/**
 * Installs and runs a program, and gives a finding for each of its steps. Where its toolchain is there, a step that it says
 * nothing of has failed.
 * @param story handed to it in the environment
 */
export async function play(program: Program, story: Story): Promise<Finding[]> {
  const all = Object.entries(program.steps).flatMap(([binding, steps]) => steps.map((step) => ({ binding, step })));
  const nameOf = ({ binding, step }: { binding: string; step: string }) => `${program.name}, ${binding}: ${step}`;
  const together = (outcome: Finding['outcome'], reason: string) =>
    all.map((each): Finding => ({ name: nameOf(each), outcome, reason }));

  const installed = await install(program.needs);
  if ('failed' in installed) return together('failed', `not installed: ${installed.failed}`);
  if ('lacks' in installed) return together('skipped', `it needs ${installed.lacks}`);

  const proxy = program.isJudged === true ? await startJudgingProxy(story.base_url) : undefined;
  const where = proxy === undefined ? story : { ...story, base_url: proxy.base_url };
  const { told, ended } = await run(installed.command, [...installed.args, ...program.args], where);
  await proxy?.close();
  const findings = all.map((each): Finding => {
    const one = told.find(({ binding, step }) => binding === each.binding && step === each.step);
    const name = nameOf(each);
    if (one === undefined) return { name, outcome: 'failed', reason: `was not run; the program ended by ${ended}` };
    return judged(name, one, knownFault(program.name, each.binding, each.step));
  });
  const isKnown = (one: { binding: string; step: string }) => program.steps[one.binding]?.includes(one.step) === true;
  const unknown = told.filter((one) => !isKnown(one));
  const strays = unknown.map((one): Finding => ({ name: nameOf(one), outcome: 'failed', reason: 'stands in no list' }));
  return [...findings, ...strays, ...(proxy === undefined ? [] : [verdictOn(program, proxy)])];
}

/** Whether all that a program was answered is as the official schemas have it: answers of each task of its story, at the least. */
function verdictOn({ name: program }: Program, { judged, wrong }: JudgingProxy): Finding {
  const name = `${program}: every answer is valid by the official schemas`;
  const missing = STORY_TASKS.filter((task) => !judged.has(task));
  if (missing.length > 0) return { name, outcome: 'failed', reason: `no answer came by of ${missing.join(', ')}` };
  if (wrong.length > 0) return { name, outcome: 'failed', reason: wrong.slice(0, 5).join('; ').slice(0, 800) };
  return { name, outcome: 'ok' };
}

const STORY_TASKS = [
  ...['get_adcp_capabilities', 'get_products', 'sync_accounts', 'list_accounts', 'create_media_buy', 'get_media_buys'],
  ...['update_media_buy', 'sync_creatives', 'list_creatives', 'get_media_buy_delivery'],
];

function judged(name: string, { outcome, reason }: z.infer<typeof Told>, fault: string | undefined): Finding {
  if (outcome === 'ok') {
    return { name, outcome, ...(fault !== undefined && { reason: 'no longer a fault: take it from known-faults.ts' }) };
  }
  const seen = (reason ?? 'no reason').replaceAll(/\s+/g, ' ').slice(0, 400);
  if (fault === undefined) return { name, outcome: 'failed', reason: seen };
  return { name, outcome: 'skipped', reason: `known: ${fault}`, seen: seen.slice(0, 120) };
}

async function run(
  command: string,
  args: readonly string[],
  story: object,
): Promise<{ told: z.infer<typeof Told>[]; ended: string }> {
  const child = spawn(command, args, {
    env: { ...process.env, STORY: JSON.stringify(story), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PROGRAM_WITHIN_MS,
  });
  const ending = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const told = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) told.push(Told.parse(JSON.parse(line)));
    else console.log(line);
  }
  const [status, signal] = await ending;
  return { told, ended: signal ?? `status ${status ?? 'unknown'}` };
}
