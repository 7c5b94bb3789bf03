// `count.mjs RESULTS FAILED`: prints `N passed, N failed` from vitest's JSON report and ends with 1 unless all is well.
// FAILED is 1 when a step failed, which a report without failures cannot hide.
import { readFileSync } from 'node:fs';

const [path, stepFailed] = process.argv.slice(2);
const { passed, failed } = counts();
const total = Math.max(failed, Number(stepFailed));
console.log(`${passed} passed, ${total} failed`);
process.exitCode = total === 0 && passed > 0 ? 0 : 1;

function counts() {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    const brokenFiles = report.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles.length };
  } catch (error) {
    console.log(`ci: vitest left no report (${error.message})`);
    return { passed: 0, failed: 1 };
  }
}
