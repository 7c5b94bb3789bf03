import { afterAll } from 'vitest';
import { leaksSince, openResources } from './open-resources.ts';
import { until } from './until.ts';

/** Set up for every test file: it fails when it leaves something open that would keep a process alive. */
const before = openResources();

afterAll(async () => {
  // What the tests closed may take a moment to go.
  await until(() => leaksSince(before).length === 0).catch(() => {
    throw new Error(`this test file left open: ${leaksSince(before).join('; ')}`);
  });
});
