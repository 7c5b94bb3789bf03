// Makes sure of what every command needs before any dependency can be imported: a recent Node, and in node_modules
// what package-lock.json says. Costs milliseconds when nothing is to be done. Plain JavaScript, no dependencies.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const OLDEST_NODE = [20, 19];
const LOCK_FILE = join(root, 'package-lock.json');

/** Ends the process with a plain message when this Node is too old. */
export function ensureNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  console.error(`This needs Node ${OLDEST_NODE.join('.')} or newer; this is Node ${version}.`);
  console.error('Install a current Node from https://nodejs.org or your distribution, then run the command again.');
  process.exit(1);
}

/**
 * Runs `npm ci` when node_modules is missing or differs from the lock file. One process at a time installs; the others
 * wait for it and find nothing left to do. Says what it does on standard error only.
 * @param {{ dev?: boolean }} [needs] whether the packages for development are needed too
 */
export function ensureDependencies({ dev = false } = {}) {
  if (isInstalled({ dev })) return;
  const install = [process.execPath, fileURLToPath(import.meta.url), 'install', dev ? 'dev' : 'run'];
  // The lock is the kernel's, on the lock file itself: a killed installer leaves nothing stale behind.
  const locked = spawnSync('flock', [LOCK_FILE, ...install], { stdio: ['ignore', 2, 2] });
  const done =
    locked.error?.code === 'ENOENT' ? spawnSync(install[0], install.slice(1), { stdio: ['ignore', 2, 2] }) : locked;
  if (done.status !== 0 || !isInstalled({ dev })) {
    console.error('The npm dependencies could not be installed (see above). Try `npm ci` by hand.');
    process.exit(1);
  }
}

function isInstalled({ dev }) {
  const wanted = packagesOf(LOCK_FILE);
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    // What does not lie in node_modules is the project itself and its workspaces, which run from their sources.
    if (!path.includes('node_modules/') || entry.link || (entry.dev && !dev)) return true;
    const found = installed[path];
    if (found === undefined) return Boolean(entry.optional || entry.devOptional || entry.peer);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Under the lock: looks again, since another process may have installed meanwhile. */
function install({ dev }) {
  if (isInstalled({ dev })) return 0;
  console.error('Installing the npm dependencies …');
  const npm = process.env.npm_execpath ?? '';
  const ci = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const done = npm.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [npm, ...ci], options)
    : spawnSync('npm', ci, { ...options, shell: process.platform === 'win32' });
  if (done.error) console.error(done.error.message);
  return done.status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureNode();
  if (process.argv[2] === 'install') process.exit(install({ dev: process.argv[3] === 'dev' }));
  ensureDependencies({ dev: true });
}
