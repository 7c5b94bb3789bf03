// `npm test [-- vitest arguments]`, `npm run test:mongodb`, `npm run test:sources`, `npm run test:browsers` and `npm run test:crash`: makes sure
// of Node and of the npm dependencies, then runs vitest in this process. Redis and MongoDB are seen to by test/support/global-setup.ts.
import { randomInt } from 'node:crypto';
import { accessSync, constants, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

/** Projects of vitest.config.ts, by the first argument. */
const PROJECTS = {
  tests: ['tests'],
  mongodb: ['tests'],
  sources: ['sources'],
  browsers: ['browsers'],
  crash: ['crashes', 'shared-crashes'],
};

/** What a test file that has a test on MongoDB names: the store, or a list of stores (test/store-titles.test.ts). */
const NAMES_MONGODB = /mongodb|\b(STORES|hasMongodb|mongoTestUrl|describeOnStores|itOnStores)\b/i;

const [which = '', ...args] = process.argv.slice(2);
const projects = PROJECTS[which];
if (projects === undefined) {
  console.error(`usage: node scripts/test.mjs ${Object.keys(PROJECTS).join('|')} [vitest arguments]`);
  process.exit(2);
}
ensureNode();
ensureDependencies({ dev: true });

if (which === 'crash') {
  process.env.CRASH_SEED ||= String(randomInt(2 ** 32));
  console.log(`CRASH_SEED=${process.env.CRASH_SEED} chooses when processes are killed; set it to have this run again`);
}
// Stores of tests are thrown away: in memory, where there is plenty, none of them waits for a disk. What is killed on
// purpose writes to a real one.
const memory = ['tests', 'mongodb'].includes(which) && !process.env.TMPDIR ? roomyMemory() : undefined;
if (memory !== undefined) process.env.TMPDIR = memory;
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
process.chdir(root);
process.env.NODE_ENV = 'test';
const chosen = which === 'mongodb' ? ['-t', '[Mm]ongo(db|DB)', ...mongodbFiles()] : [];
process.argv = [process.argv[0], vitest, 'run', ...projects.map((name) => `--project=${name}`), ...chosen, ...args];
await import(pathToFileURL(vitest).href);

/** The test files that may have a test on MongoDB: to read the others takes longer than to run many of these. */
function mongodbFiles() {
  const names = readdirSync('test', { recursive: true }).map((name) => join('test', name));
  return names.filter((name) => /\.test\.tsx?$/.test(name) && NAMES_MONGODB.test(readFileSync(name, 'utf8')));
}

/** The folder that Linux keeps in memory, if there are 4 GB left of it. */
function roomyMemory() {
  try {
    accessSync('/dev/shm', constants.W_OK);
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= 4 * 2 ** 30 ? '/dev/shm' : undefined;
  } catch {
    return undefined;
  }
}
