/**
 * `npm run storyboards [-- a2a | mcp] [--boards=ID,ID]`: the public protocol's own storyboards against an agent started for them, over each transport, with
 * what came of each board, step by step counted. It fails when a step fails that `explained.ts` has no sentence for, and when boards are
 * newer than what is known. `--report=FILE` writes the outcome as vitest's JSON report does, and `--again=FILE` runs the transports over which
 * something failed by such a report. With an end in `TESTS_UNTIL` the transports come in an order of chance, and one left by then is skipped.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOwnAgent } from '../../src/main/demo/own-agent.ts';
import { seededChance } from '../support/chance.ts';
import { projectRoot } from '../support/project-files.ts';
import { LATE, reportOptions, writeReport } from '../support/report.ts';
import { TESTS_UNTIL_MS } from '../support/tests-until.ts';
import { runBoards } from './boards.ts';
import type { BoardsRun } from './boards.ts';
import { complaintsOf, verdictsOf } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** The terms of measurement that boards ask for. */
const TERMS = {
  billing_measurement: { vendor: { domain: 'videoamp.example' }, measurement_window: 'c7', max_variance_percent: 10 },
  makegood_policy: { available_remedies: ['additional_delivery', 'credit'] },
};

const TRANSPORTS = ['a2a', 'mcp'] as const;

const { report, failedBefore } = reportOptions(process.argv);
const boards = process.argv.find((arg) => arg.startsWith('--boards='))?.slice('--boards='.length);
const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const chosen = TRANSPORTS.filter(
  (one) =>
    (wanted.length === 0 || wanted.includes(one)) &&
    (failedBefore === undefined || failedBefore.some((failed) => new RegExp(`over ${one}\\b`).test(failed))),
);
if (chosen.length === 0) throw new Error(`there are ${TRANSPORTS.join(' and ')}`);

const catalog = await mkdtemp(join(tmpdir(), 'storyboards-catalog-'));
const outcomes: { name: string; word: Verdict['word']; reason?: string }[] = [];
try {
  await catalogOfBoards(catalog);
  for (const transport of TESTS_UNTIL_MS === Infinity ? chosen : seededChance('storyboards').shuffled(chosen)) {
    if (Date.now() < TESTS_UNTIL_MS) await runOver(transport);
    else outcomes.push({ name: `storyboards over ${transport} ${LATE}`, word: 'skipped' });
  }
} finally {
  await rm(catalog, { recursive: true, force: true });
}

const failed = outcomes.filter(({ word }) => word === 'FAILED');
const skipped = outcomes.filter(({ word }) => word === 'skipped');
const well = outcomes.length - failed.length - skipped.length;
console.log(`\n${well} boards ok, ${failed.length} failed, ${skipped.length} skipped`);
if (report !== undefined) {
  const STATUS = { ok: 'passed', explained: 'passed', FAILED: 'failed', skipped: 'skipped' } as const;
  await writeReport(
    report,
    import.meta.filename,
    outcomes.map(({ name, word, reason }) => ({ name, status: STATUS[word], reason })),
  );
}
process.exitCode = failed.length === 0 ? 0 : 1;

/** A fresh agent for each: boards count on nobody having been there. */
async function runOver(transport: (typeof TRANSPORTS)[number]): Promise<void> {
  const env = { COMPLIANCE_TESTING: '1', APPROVAL_OVER: '', CREATIVE_REVIEW_SECONDS: '0' };
  const agent = await startOwnAgent({ ...env, CATALOG_DIR: catalog });
  try {
    const { base_url, api_key } = await agent.ready();
    tell(transport, await runBoards(transport, `${base_url}/${transport}`, api_key, boards));
  } finally {
    await agent.stop();
  }
}

function tell(transport: (typeof TRANSPORTS)[number], run: BoardsRun): void {
  const { sdk_version, adcp_version, passed, failed: count, skipped } = run;
  const steps = `${passed} steps passed, ${count} failed, ${skipped} skipped`;
  console.log(`\n${transport}: @adcp/sdk ${sdk_version}, storyboards of ${adcp_version}: ${steps}`);
  for (const verdict of verdictsOf(transport, run)) {
    const { board, word, explained, reasons } = verdict;
    outcomes.push({ name: `storyboard ${board} over ${transport}`, word, reason: reasons.join('\n') });
    const counts = `${verdict.passed} passed, ${verdict.failed} failed, ${verdict.skipped} skipped`;
    console.log(`${word.padEnd(10)}${board} (${counts})`);
    for (const one of explained) console.log(`          ${one.whose}: ${one.why}`);
    for (const reason of reasons) console.log(`          ${reason}`);
  }
  for (const complaint of complaintsOf(run)) {
    outcomes.push({ name: `storyboards over ${transport}: ${complaint}`, word: 'FAILED' });
    console.log(`FAILED    ${complaint}`);
  }
}

/** The catalog that comes along, with the product that boards book by name, none that bounds a flight, and all by the terms that boards ask for. */
async function catalogOfBoards(folder: string): Promise<void> {
  await cp(join(projectRoot, 'catalog'), folder, { recursive: true });
  const path = join(folder, 'products.json');
  const products = JSON.parse(await readFile(path, 'utf8')) as Product[];
  const unbounded = products.map((one) => ({
    ...one,
    flight: { ...one.flight, max_days: 36_500 },
    measurement_terms: TERMS,
  }));
  const [first] = unbounded.filter(({ pricing_options: [option] }) => option?.['pricing_model'] === 'cpm');
  const test = {
    ...{ ...first, product_id: 'test-product', name: 'Test product' },
    flight: { ...first?.flight, min_days: 1, lead_time_days: 0 },
    pricing_options: ['test-pricing', 'default'].map((pricing_option_id) => ({
      ...{ ...first?.pricing_options[0], pricing_option_id, min_spend: 1 },
    })),
  };
  await writeFile(path, JSON.stringify([...unbounded, test]));
}

interface Product {
  flight: object;
  pricing_options: Record<string, unknown>[];
}
