import { configDefaults, defineConfig } from 'vitest/config';

/** Files that kill processes, flush queues and cut networks, again and again: `npm run test:crash`. */
const CRASHES = 'test/**/*{crash,outage}.test.ts';

/** What compiles the sources or runs what writes them, and needs no product: `npm run test:sources`. */
const SOURCES = 'test/sources/**/*.test.ts';

/** Open a browser, which costs more than all else they do: `npm run test:browsers`. */
const BROWSERS = 'test/**/*in-a-browser.test.ts';

/** Kills the MongoDB that the whole run shares: when nobody else is there. */
const SHARED_CRASHES = 'test/**/*mongo-crash.test.ts';

export default defineConfig({
  // As in the bundle: pages are made alike wherever they are made.
  oxc: { jsx: { runtime: 'automatic', importSource: '#html', development: false } },
  test: {
    runner: './test/support/until-runner.ts',
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/skipped-reporter.ts'],
    setupFiles: ['test/support/no-leaks.ts', 'test/support/property-seed.ts'],
    pool: 'forks',
    maxWorkers: 4,
    // Stories make much that is soon over: with more room for it, collecting it takes a tenth of the time less.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
    // Files of one process share what they import, which is most of their time; none may leave anything behind.
    isolate: false,
    // An end for what hangs; no test may depend on how fast the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, CRASHES, SOURCES, BROWSERS],
        },
      },
      { extends: true, test: { name: 'sources', include: [SOURCES] } },
      { extends: true, test: { name: 'browsers', include: [BROWSERS] } },
      {
        extends: true,
        test: {
          name: 'crashes',
          include: [CRASHES],
          exclude: [...configDefaults.exclude, SHARED_CRASHES],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'shared-crashes', include: [SHARED_CRASHES], sequence: { groupOrder: 1 } } },
    ],
  },
});
