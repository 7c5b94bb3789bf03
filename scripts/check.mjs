// `npm run check`: types, lint, format, stale generated files and tests, all of them even after a failure, so that one
// run tells everything. `--no-tests` leaves the tests out.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

ensureNode();
ensureDependencies({ dev: true });

const bin = (name, path) => [process.execPath, join(root, 'node_modules', name, path)];
/** Scripts that answer 1 under `--check` when the file they write is stale. */
const generators = ['write-card', 'write-env-example']
  .map((name) => join(root, 'scripts', `${name}.ts`))
  .filter((path) => existsSync(path));

/** By content, so that a fresh clone and a checkout of another commit lint whole. */
const LINT_CACHE = ['--cache', '--cache-location', 'node_modules/.cache/eslint/', '--cache-strategy', 'content'];

const steps = [
  ['types', [...bin('typescript', 'bin/tsc')]],
  ['lint', [...bin('eslint', 'bin/eslint.js'), '.', '--max-warnings', '0', ...LINT_CACHE]],
  ['format', [...bin('prettier', 'bin/prettier.cjs'), '--check', '--cache', '--log-level', 'warn', '.']],
  ...generators.map((path) => [
    `fresh: ${path.slice(root.length)}`,
    [process.execPath, '--import', 'tsx', path, '--check'],
  ]),
  ...(process.argv.includes('--no-tests')
    ? []
    : [['tests', [process.execPath, join(root, 'scripts', 'test.mjs'), 'tests']]]),
];

const failed = [];
for (const [name, [command, ...args]] of steps) {
  console.log(`check: ${name}`);
  if (spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status !== 0) failed.push(name);
}
console.log(failed.length === 0 ? 'check: all well' : `check: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
