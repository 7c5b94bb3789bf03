/**
 * `npm run test:clients [-- WORD]`: official clients of other languages play the buying story against an agent started for them
 * (those whose names have the word). `--report=FILE` writes the outcome as vitest's JSON report does, and `--again=FILE` plays those of
 * which something failed by such a report. With an end in `TESTS_UNTIL` they come in an order of chance, and those left by then are skipped.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { seededChance } from '../support/chance.ts';
import { freePort } from '../support/free-port.ts';
import type { AddressInfo } from 'node:net';
import { startOwnAgent } from '../../src/main/demo/own-agent.ts';
import { reportOptions, writeReport } from '../support/report.ts';
import type { Outcome } from '../support/report.ts';
import { TESTS_UNTIL_MS } from '../support/tests-until.ts';
import { install } from './installs.ts';
import { play } from './play.ts';
import type { Finding } from './play.ts';
import { PROGRAMS } from './programs.ts';

const FLIGHT_MS = 90 * 86_400_000;

const { report, failedBefore } = reportOptions(process.argv);
const words = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const chosen = PROGRAMS.filter(
  ({ name }) =>
    words.every((word) => name.includes(word)) &&
    // Between the program's name and the step stands `, BINDING: ` or `: `.
    (failedBefore === undefined ||
      failedBefore.some((failed) => /^[,:]/.test(failed.slice(name.length)) && failed.startsWith(name))),
);
if (chosen.length === 0) throw new Error(`no program's name has ${words.join(' and ')}`);

const sink = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
const operator_key = randomBytes(24).toString('base64url');
const agent = await startOwnAgent({
  OPERATOR_API_KEY: operator_key,
  GRPC_PORT: String(await freePort()),
  APPROVAL_OVER: 'USD:50000',
  APPROVAL_OVER_USD: '',
  SIM_SPEED: '1',
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void agent.stop().finally(() => process.exit(130)));
}

const findings: Finding[] = [];
try {
  for (const { needs } of chosen) void install(needs);
  const { base_url, api_key } = await agent.ready();
  const webhook_url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/webhooks`;
  const story = {
    base_url,
    api_key,
    operator_key,
    webhook_url,
    end_time: new Date(Date.now() + FLIGHT_MS).toISOString(),
  };
  for (const program of TESTS_UNTIL_MS === Infinity ? chosen : seededChance('clients').shuffled(chosen)) {
    const { name } = program;
    const late: Finding = { name, outcome: 'skipped', reason: 'no time was left' };
    const found = Date.now() < TESTS_UNTIL_MS ? await play(program, story) : [late];
    found.forEach(tell);
    findings.push(...found);
  }
} finally {
  await agent.stop();
  sink.closeAllConnections();
  sink.close();
}

const count = (outcome: Finding['outcome']) => findings.filter((one) => one.outcome === outcome).length;
console.log(`\n${count('ok')} ok, ${count('failed')} failed, ${count('skipped')} skipped`);
if (report !== undefined) await writeReport(report, import.meta.filename, findings.map(asOutcome));
process.exitCode = count('failed') === 0 ? 0 : 1;

function tell({ name, outcome, reason, seen }: Finding): void {
  console.log(`${outcome.padEnd(8)}${name}`);
  for (const more of [reason, seen]) if (more !== undefined) console.log(`${' '.repeat(10)}${more}`);
}

function asOutcome({ name, outcome, reason }: Finding): Outcome {
  const STATUS = { ok: 'passed', failed: 'failed', skipped: 'skipped' } as const;
  return { name: outcome === 'skipped' ? `${name} (${reason ?? ''})` : name, status: STATUS[outcome], reason };
}
