import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

/** What became of one thing that was tried, as a test of vitest's. */
export interface Outcome {
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  /** Why it failed. */
  reason?: string | undefined;
}

/** Who was left because `TESTS_UNTIL` was over says so by this; `.ci/summary.mjs` knows it. */
export const LATE = '(no time was left)';

/** What a program's command line says of reports: `--report=FILE` is where to put one, and `--again=FILE` has those that failed before. */
export function reportOptions(args: readonly string[]): { report?: string; failedBefore?: readonly string[] } {
  const option = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [report, again] = [option('report'), option('again')];
  return { ...(report !== undefined && { report }), ...(again !== undefined && { failedBefore: failedIn(again) }) };
}

/** Writes as much of vitest's JSON report as `.ci/summary.mjs` reads. @param file of the program, as the tests' file */
export async function writeReport(path: string, file: string, outcomes: readonly Outcome[]): Promise<void> {
  const count = (status: Outcome['status']) => outcomes.filter((one) => one.status === status).length;
  const assertionResults = outcomes.map(({ name, status, reason }) => ({
    fullName: name,
    status,
    failureMessages: status === 'failed' && reason !== undefined ? [reason] : [],
  }));
  const status = count('failed') === 0 ? 'passed' : 'failed';
  const report = {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    testResults: [{ name: file, status, assertionResults }],
  };
  await writeFile(path, JSON.stringify(report));
}

interface Report {
  testResults: readonly { assertionResults: readonly { fullName: string; status: string }[] }[];
}

function failedIn(path: string): string[] {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  return all.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
}
