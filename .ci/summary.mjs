// `summary.mjs RESULTS`: says what the parts of a run took, which tests nobody ran and what failed, and ends with the line
// `N passed, N failed, N skipped`; its status is 1 unless all is well. RESULTS holds `parts.tsv` (a line of name, seconds
// and exit status each) and, of each part that is vitest's, its JSON report under the part's name; `NAME, again.json` is that of
// the files in which one of its tests failed, run once more.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUDGETS = new URL('../CONTRIBUTING.md', import.meta.url);
/** How the name of what was left out ends, where that is no test of vitest's. */
const LATE = '(no time was left)';
/** Why a test is skipped, by its title. */
const REASONS = [
  [/mongo/i, 'there is no MongoDB, no command to crash it, or no time left'],
  [/in a browser/, 'there is no chromium on PATH'],
  [/\(it needs (promtool|caddy|systemd-analyze)\)/, 'there is no such program on PATH'],
  [/\(known: .*\)$/, 'it is run, and may fail'],
  [/\(it needs .*\)$/, 'it could not be run'],
  [/\(no time was left\)$/, 'the time of its part was over'],
  [/> storyboard /, 'all of its steps were skipped; what it prints says why'],
];

/** Chance in a title; without it, a test is known again in another part. */
const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

const well = { failed: 0, complaints: [], tests: [] };
const unwell = (complaint) => ({ failed: 1, complaints: [complaint], tests: [] });

const [results = ''] = process.argv.slice(2);
const budgets = readBudgets();
const parts = readFileSync(join(results, 'parts.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'))
  .map(([name, seconds, status]) => ({ name, seconds: Number(seconds), ...outcomeOf(name, Number(status)) }));

const ran = new Set(
  parts.flatMap(({ tests }) => tests.filter(({ isSkipped }) => !isSkipped).map(({ title }) => title)),
);
const skipped = new Set(
  parts.flatMap(({ tests }) => tests.map(({ title }) => title)).filter((title) => !ran.has(title)),
);
for (const title of skipped) console.log(`skipped: ${title}: ${reasonOf(title)}`);
for (const { name, chances = [] } of parts)
  for (const chance of chances) console.log(`failed once, passed again by itself: ${name}: ${chance}`);
for (const { name, complaints } of parts)
  for (const complaint of complaints) console.log(`failed: ${name}: ${complaint}`);

printTable();
const sum = (count) => parts.reduce((total, part) => total + part[count], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${skipped.size} skipped`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;

/** Counts, and each test of the report by file and title; a part without a report either went well or failed once. */
function outcomeOf(name, status) {
  const path = join(results, `${name}.json`);
  const isVitest = name.startsWith('npm ');
  if (!isVitest) return { passed: 0, ...(status === 0 ? well : unwell(`ended with status ${status}`)) };
  if (!existsSync(path)) return { passed: 0, ...unwell(`left no report, and ended with status ${status}`) };
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const first = complaintsOf(report);
  const againPath = join(results, `${name}, again.json`);
  const again = existsSync(againPath) ? JSON.parse(readFileSync(againPath, 'utf8')) : undefined;
  const second = again && complaintsOf(again);
  const stood = first.filter(({ title }) => again === undefined || !passedIn(again, title));
  const complaints = [...stood, ...(second ?? []).filter(({ title }) => stood.every((other) => other.title !== title))];
  const chances = first.filter((complaint) => !stood.includes(complaint));
  const texts = complaints.map(({ text }) => text);
  if (report.numPassedTests === 0 && !isLate(report)) texts.push('it ran nothing');
  else if (status !== 0 && first.length === 0) texts.push(`ended with status ${status}`);
  return {
    passed: report.numPassedTests + chances.length,
    failed: texts.length,
    complaints: texts,
    chances: chances.map(({ text }) => text),
    tests: testsOf(report),
  };
}

/** Tests that failed, and files that failed as a whole. */
function complaintsOf(report) {
  return report.testResults.flatMap((file) => {
    const failed = file.assertionResults.filter(isFailed);
    if (failed.length > 0) return failed.map((test) => ({ title: titleOf(file, test), text: complaintOf(file, test) }));
    return file.status === 'failed' ? [{ title: pathOf(file), text: `${pathOf(file)}: ${startOf(file.message)}` }] : [];
  });
}

/** A test by its title; a file by its path, if all of it is well and something in it ran. */
function passedIn(report, title) {
  return report.testResults.some((file) => {
    if (pathOf(file) === title)
      return file.status === 'passed' && file.assertionResults.some(({ status }) => status === 'passed');
    return file.assertionResults.some((test) => test.status === 'passed' && titleOf(file, test) === title);
  });
}

/** Whether it left something out for want of time, and says so: the check before mutants may take all there is. */
function isLate({ testResults }) {
  return testResults.some(({ assertionResults }) => assertionResults.some(({ fullName }) => fullName.endsWith(LATE)));
}

function isFailed({ status }) {
  return status === 'failed';
}

function titleOf(file, { fullName }) {
  return `${pathOf(file)} > ${fullName.replaceAll(UUID, '…')}`;
}

function complaintOf(file, { fullName, failureMessages = [] }) {
  return `${pathOf(file)} > ${fullName}\n${startOf(failureMessages.join('\n'))}`;
}

function pathOf({ name }) {
  return name.slice(name.indexOf('/test/') + 1);
}

/** The first lines of what went wrong: the record of a run may hold no more than its end. */
function startOf(message = '') {
  return message.split('\n').slice(0, 12).join('\n');
}

/** Those that a name pattern left out are skipped here as well; another part runs them. */
function testsOf(report) {
  return report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({
      title: titleOf(file, test),
      isSkipped: test.status !== 'passed' && test.status !== 'failed',
    })),
  );
}

function reasonOf(title) {
  return REASONS.find(([pattern]) => pattern.test(title))?.[1] ?? 'the time of its part was over, or its file says why';
}

/** Minutes by part, from the table of CONTRIBUTING.md. */
function readBudgets() {
  const [, section = ''] = readFileSync(BUDGETS, 'utf8').split('## Time budgets\n');
  const rows = section.split('\n## ')[0].matchAll(/^\| (\S.*?) +\| (\d+) +\|$/gm);
  return new Map([...rows].map(([, name, minutes]) => [name, Number(minutes)]));
}

function printTable() {
  const rows = parts.map(({ name, seconds }) => {
    const budget = budgets.get(name);
    const used = seconds / 60;
    const mark = budget === undefined ? 'no budget' : used > budget ? 'OVER BUDGET' : '';
    return [name, budget === undefined ? '-' : `${budget} min`, `${used.toFixed(1)} min`, mark];
  });
  console.log('');
  for (const [name, budget, used, mark] of [['part', 'budget', 'used', ''], ...rows])
    console.log(`${name.padEnd(22)}${budget.padStart(8)}${used.padStart(12)}  ${mark}`.trimEnd());
  console.log('');
}
