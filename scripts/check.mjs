// `npm run check`: types, lint, format, what nobody uses, stale generated files, the bill of materials and tests, all of them even after a
// failure, so that one run tells everything. `--no-tests` leaves the tests out. Lint takes as long as what comes before the tests
// together: it goes on beside that, and says what it has to say after it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

ensureNode();
ensureDependencies({ dev: true });

const bin = (name, path, ...flags) => [process.execPath, ...flags, join(root, 'node_modules', name, path)];
/** Scripts that answer 1 under `--check` when the file they write is stale. */
const generators = [
  'write-budgets',
  'write-card',
  'write-cli',
  'write-env-example',
  'write-limits',
  'write-receiver-vectors',
  'write-references',
  'write-rules',
]
  .map((name) => join(root, 'scripts', `${name}.ts`))
  .filter((path) => existsSync(path));

const KNIP = [...bin('knip', 'bin/knip.js'), '--no-progress'];
const cache = join(root, 'node_modules', '.cache');
/** With the types of all files it needs close to the 4 GB that V8 gives by itself, and would collect garbage without end. */
const LINT = bin('eslint', 'bin/eslint.js', '--max-old-space-size=8192');
const lintCache = join(cache, 'eslint/');
const LINT_CACHE = ['--cache', '--cache-location', lintCache, '--cache-strategy', 'content'];

/** What lint says of one file follows from the types in all: after any change it looks at every file again. */
function forgetLintOfOtherTypes() {
  const types = join(cache, 'tsc.tsbuildinfo');
  const mark = join(cache, 'eslint-types');
  const now = existsSync(types) ? createHash('sha256').update(readFileSync(types)).digest('hex') : '';
  if (now !== '' && existsSync(mark) && readFileSync(mark, 'utf8') === now) return;
  rmSync(lintCache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  writeFileSync(mark, now);
}

const LINT_STEP = ['lint', [...LINT, '.', '--max-warnings', '0', ...LINT_CACHE]];
const steps = [
  ['format', [...bin('prettier', 'bin/prettier.cjs'), '--check', '--cache', '--log-level', 'warn', '.']],
  ['unused in the product (tests do not count)', [...KNIP, '--production']],
  ['unused', KNIP],
  ...generators.map((path) => [
    `fresh: ${path.slice(root.length)}`,
    [process.execPath, '--import', 'tsx', path, '--check'],
  ]),
  ['bill of materials', [process.execPath, join(root, 'scripts', 'write-sbom.mjs'), '--check']],
];
const tests = process.argv.includes('--no-tests')
  ? []
  : ['sources', 'tests'].map((which) => [which, [process.execPath, join(root, 'scripts', 'test.mjs'), which]]);

const failed = [];
// What was said of files before may hold no more: whether it does, the types tell. Where nothing was said, lint need not wait for them.
const isFirst = !existsSync(lintCache);
const types = run(['types', bin('typescript', 'bin/tsc')]);
if (!isFirst) await types;
if (!isFirst) forgetLintOfOtherTypes();
const lint = heard(LINT_STEP);
await types;
if (isFirst) forgetLintOfOtherTypes();
for (const step of steps) await run(step);
await lint;
for (const step of tests) await run(step);
console.log(failed.length === 0 ? 'check: all well' : `check: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs a step, which speaks for itself. */
async function run([name, [command, ...args]]) {
  console.log(`check: ${name}`);
  const [status] = await once(spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }), 'exit');
  if (status !== 0) failed.push(name);
}

/** Runs a step beside others, and says all at once what it said. */
async function heard([name, [command, ...args]]) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [status] = await once(child, 'close');
  console.log(`check: ${name}`);
  process.stdout.write(said);
  if (status !== 0) failed.push(name);
}
