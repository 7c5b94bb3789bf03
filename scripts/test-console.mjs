// `npm run test:console [-- --rest]`: the acceptance of console, portal and command line: every test that test/acceptance/console.ts names,
// then each page in a browser by the screenshots. `--rest` leaves out what `npm test`, `npm run test:sources`, `npm run test:browsers` and
// `npm run test:crash` run anyway. Without chromium it fails.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

ensureNode();
ensureDependencies({ dev: true });
process.chdir(root);
const { register } = await import('tsx/esm/api');
register();
const { chromiumPath } = await import('../test/admin/support/chromium.ts');
const { ACCEPTANCE } = await import('../test/acceptance/console.ts');

if (chromiumPath === undefined) {
  console.error('chromium is not on PATH, and what pages look like cannot be tested: apt-get install chromium');
  process.exit(1);
}
const files = [...new Set(ACCEPTANCE.flatMap(({ proof }) => proof.map(([file]) => `test/${file}`)))];
const whichOf = (file) => {
  if (file.startsWith('test/sources/')) return 'sources';
  if (file.endsWith('in-a-browser.test.ts')) return 'browsers';
  return /(crash|outage)\.test\.ts$/.test(file) ? 'crash' : 'tests';
};
const steps = ['tests', 'sources', 'browsers', 'crash'].map((which) => [
  'test.mjs',
  which,
  ...files.filter((file) => whichOf(file) === which),
]);
const failed = [...(process.argv.includes('--rest') ? [] : steps), ['run.mjs', 'screenshots']].filter(
  ([script, ...args]) =>
    spawnSync(process.execPath, [join(root, 'scripts', script), ...args], { stdio: 'inherit' }).status !== 0,
);
for (const [script, which] of failed) console.error(`test:console: ${script} ${which} has failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
