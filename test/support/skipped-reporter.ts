import type { Reporter, TestModule } from 'vitest/node';

/** Why tests are skipped on a machine that lacks something, by what they are called. */
const REASONS = [
  { name: /mongodb/i, reason: 'there is no MongoDB; set MONGODB_TEST_URL, or put mongod on PATH' },
  { name: /in a network of its own/, reason: 'no network namespace can be made; that takes root and iproute2' },
  { name: /in a browser/, reason: 'there is no browser; put chromium on PATH' },
  {
    name: /\(it needs (promtool|caddy|systemd-analyze)\)/,
    reason: 'there is no promtool, caddy or systemd-analyze; put them on PATH',
  },
];

/** Ends a run with one plain line for each thing that the machine lacks: how many tests were skipped for it. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) => [...module.children.allTests('skipped')].map(({ fullName }) => fullName));
    for (const { name, reason } of REASONS) {
      const count = names.filter((one) => name.test(one)).length;
      if (count > 0) console.log(`NOT TESTED: ${count} tests were skipped, since ${reason}.`);
    }
  }
}
