/**
 * `npm run test:mutants [-- WORD]`: breaks the product on purpose, in memory, once for each mutant of the tables (those whose names
 * have the word), and asks of the tests named there that they see it. Before that the same tests must be green. `--report=FILE`
 * writes the outcome as vitest's JSON report does: a mutant that was seen is a test passed, a survivor one failed. With an end
 * in `TESTS_UNTIL` they are tried in an order of chance, and those left by then are tests skipped.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/platform/log.ts';
import { usePrivateRedis } from '../../src/platform/redis/private-redis.ts';
import { seededChance } from '../support/chance.ts';
import { projectRoot } from '../support/project-files.ts';
import { LATE, reportOptions, writeReport } from '../support/report.ts';
import type { Outcome } from '../support/report.ts';
import { TESTS_UNTIL_MS } from '../support/tests-until.ts';
import { AD_SERVER_MUTANTS } from './ad-server.ts';
import { BOOK_MUTANTS } from './book.ts';
import { KEPT_MUTANTS } from './kept.ts';
import { mutated } from './mutant.ts';
import type { Mutant, Tests } from './mutant.ts';
import { ORDER_MUTANTS } from './orders.ts';
import { TASK_MUTANTS } from './tasks.ts';
import { openTestRunner } from './test-runner.ts';
import type { Findings, TestRunner } from './test-runner.ts';

const MUTANTS: readonly Mutant[] = [
  ...TASK_MUTANTS,
  ...ORDER_MUTANTS,
  ...AD_SERVER_MUTANTS,
  ...BOOK_MUTANTS,
  ...KEPT_MUTANTS,
];
/** Mutants tried at once. */
const LANES = 2;

let isInterrupted = false as boolean;

const { report } = reportOptions(process.argv);
const words = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const chosen = MUTANTS.filter(({ name }) => words.every((word) => name.includes(word)));
if (chosen.length === 0) throw new Error(`no mutant's name has ${words.join(' and ')}`);
for (const mutant of MUTANTS) mutated(await readFile(join(projectRoot, mutant.file), 'utf8'), mutant);

const outcomes = await onRedis(() =>
  tryAll(TESTS_UNTIL_MS === Infinity ? chosen : seededChance('mutants').shuffled(chosen)),
);
const [seen, failed, left] = (['passed', 'failed', 'skipped'] as const).map((status) => count(outcomes, status));
console.log(`\n${seen} mutants seen, ${failed} not, ${left} not tried`);
if (report !== undefined) await writeReport(report, join(projectRoot, 'test/mutants/index.ts'), outcomes);
// What a failed test has set.
process.exitCode = isInterrupted ? 130 : failed === 0 ? 0 : 1;

/** Tests need a Redis, and no MongoDB; and a mutant that is tried is tried with all of them. */
async function onRedis<T>(work: () => Promise<T>): Promise<T> {
  const names = [...['URL', 'CRASH', 'RESUME'].map((name) => `MONGODB_TEST_${name}`), 'TESTS_UNTIL'];
  for (const name of names) Reflect.deleteProperty(process.env, name);
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-mutants-'));
  const redis = await usePrivateRedis({ dataDir: dir, logger: createLogger('info') });
  process.env['REDIS_TEST_URL'] = redis.url;
  try {
    return await work();
  } finally {
    await redis.release();
    await rm(dir, { recursive: true, force: true });
  }
}

async function tryAll(mutants: readonly Mutant[]): Promise<Outcome[]> {
  const lanes = await Promise.all(Array.from({ length: LANES }, () => openTestRunner()));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Vite's would end the process before anything is cleaned up.
    process.removeAllListeners(signal);
    process.once(signal, () => {
      isInterrupted = true;
      void Promise.all(lanes.map((lane) => lane.cancel()));
    });
  }
  try {
    const unbroken = together(mutants.flatMap(({ seenBy }) => seenBy));
    const shares = lanes.map((_, lane) => unbroken.filter((_tests, i) => i % LANES === lane));
    const begun = Date.now();
    const green = await Promise.all(lanes.map((lane, i) => runUnbroken(lane, shares[i] ?? [])));
    const wrong = green.map(wrongIn).find((found) => found !== undefined);
    tell('nothing broken', 'all green', wrong ?? `${sum(green)} tests`, begun);
    if (wrong !== undefined) return [{ name: 'nothing broken', status: 'failed', reason: wrong }];
    const queue = [...mutants];
    const outcomes: Outcome[] = [];
    const work = async (lane: TestRunner) => {
      for (let mutant = queue.shift(); mutant !== undefined && !isInterrupted; mutant = queue.shift())
        outcomes.push(
          Date.now() < TESTS_UNTIL_MS
            ? await tryOne(lane, mutant)
            : { name: `${mutant.name} ${LATE}`, status: 'skipped' },
        );
    };
    await Promise.all(lanes.map(work));
    return outcomes;
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}

/** Once more where it fails: what else the machine does can make a test fail that is well. */
async function runUnbroken(lane: TestRunner, tests: readonly Tests[]): Promise<Findings> {
  const first = await lane.run(tests);
  return wrongIn(first) === undefined || isInterrupted ? first : lane.run(tests);
}

function wrongIn({ red, crashed }: Findings): string | undefined {
  return red ?? crashed;
}

async function tryOne(lane: TestRunner, mutant: Mutant): Promise<Outcome> {
  const { name, rule, seenBy } = mutant;
  const begun = Date.now();
  const first = await lane.run(seenBy, mutant);
  // A crash proves nothing either way, and may be the machine's: once more.
  const isUnclear = first.red === undefined && first.crashed !== undefined && !isInterrupted;
  const { red, crashed, passed } = isUnclear ? await lane.run(seenBy, mutant) : first;
  const unseen = crashed === undefined ? `SURVIVES ${passed} tests` : `CRASHES ${crashed}`;
  tell(name, rule, red ?? unseen, begun);
  return red === undefined ? { name, status: 'failed', reason: unseen } : { name, status: 'passed' };
}

function tell(name: string, rule: string, found: string, begunMs: number): void {
  const seconds = ((Date.now() - begunMs) / 1000).toFixed(1);
  console.log(`${seconds.padStart(6)} s  ${rule.padEnd(13)} ${name}\n${' '.repeat(24)}${found}`);
}

/** Each file once, with all that is named of it. */
function together(all: readonly Tests[]): Tests[] {
  const files = [...new Set(all.map(({ file }) => file))];
  return files.map((file) => {
    const names = all.filter((tests) => tests.file === file).map(({ named }) => named);
    const sources = names.flatMap((named) => (named === undefined ? [] : [named.source]));
    return sources.length < names.length ? { file } : { file, named: new RegExp(sources.join('|')) };
  });
}

function sum(findings: readonly Findings[]): number {
  return findings.reduce((total, { passed }) => total + passed, 0);
}

function count(outcomes: readonly Outcome[], status: Outcome['status']): number {
  return outcomes.filter((outcome) => outcome.status === status).length;
}
