import { configDefaults, defineConfig } from 'vitest/config';

/** Files that kill what others use, such as the MongoDB of the run. */
const CRASHES = 'test/**/*crash.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/no-leaks.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Files of one process share what they import, which is most of their time; none may leave anything behind.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, CRASHES],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'crashes', include: [CRASHES], sequence: { groupOrder: 1 } } },
    ],
  },
});
