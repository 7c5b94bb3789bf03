import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { projectRoot } from '../support/project-files.ts';

const tests = join(projectRoot, 'packages', 'receiver', 'test');

it('[W12] [W15] the tests of the receiver’s package pass under Node’s own runner', async () => {
  const files = readdirSync(tests).filter((name) => name.endsWith('.test.ts'));
  const args = ['--import', 'tsx', '--test', '--test-reporter=tap', ...files.map((name) => join(tests, name))];
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot, env, maxBuffer: 1e8 });
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(70);
});
