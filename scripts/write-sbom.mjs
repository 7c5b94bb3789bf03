// `npm run sbom`: the bill of materials of what runs (CycloneDX, without development's packages), from the lock file, to standard
// output. `--check`: only whether it can be made and says of each package which one it is and by which licence.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ensure-deps.mjs';

// With `--omit dev` npm would leave out what both the product and its tests need.
const asked = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--loglevel=error'];
const npm = process.env.npm_execpath ?? '';
const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
const made = npm.endsWith('npm-cli.js')
  ? spawnSync(process.execPath, [npm, ...asked], options)
  : spawnSync('npm', asked, { ...options, shell: process.platform === 'win32' });
if (made.status !== 0) {
  console.error(made.error?.message ?? made.stderr);
  process.exit(1);
}
const bill = ofWhatRuns(JSON.parse(made.stdout));
if (process.argv.includes('--check')) check(bill);
else process.stdout.write(`${JSON.stringify(bill, undefined, 2)}\n`);

function ofWhatRuns({ components = [], dependencies = [], ...rest }) {
  const isForDevelopment = ({ properties = [] }) =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
  const kept = components.filter((component) => !isForDevelopment(component));
  const refs = new Set([rest.metadata.component['bom-ref'], ...kept.map((component) => component['bom-ref'])]);
  return {
    ...rest,
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}

function check({ components = [] }) {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = new Set(components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`)));
  const problems = [
    ...Object.keys(dependencies)
      .filter((name) => !named.has(name))
      .map((name) => `${name} is missing`),
    ...components
      .filter(({ purl, licenses = [] }) => purl === undefined || licenses.length === 0)
      .map(({ name, version }) => `${name} ${version} has no purl or no licence`),
  ];
  for (const problem of problems) console.error(`sbom: ${problem}`);
  if (components.length === 0 || problems.length > 0) process.exitCode = 1;
}
