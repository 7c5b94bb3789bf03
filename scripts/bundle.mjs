// What `npm start` and its like run: the sources of src, built once into dist/run and again whenever one of them has
// changed, which takes some milliseconds to see. `npm run build` builds ahead, for an installation that cannot be
// written to. Plain JavaScript without dependencies until there is something to build.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

/** Every command of the product; each becomes a file of its own name in the bundle. */
const ENTRIES = ['start', 'server', 'worker', 'receiver', 'ad-server', 'ad-server-kit', 'demo', 'agent'].map(
  (name) => `src/main/${name}.ts`,
);

/**
 * The folder of a build that is of the sources as they are; built now unless there is one.
 * @param {{ root?: string, home?: string, entries?: readonly string[], say?: (line: string) => void }} [of] the project's folder,
 *   the one in it where builds stand, two levels deep, and what is built; default: the product
 * @throws {Error} with code EACCES, EPERM or EROFS where it must be built and may not be written
 */
export async function freshBundle({
  root: project = root,
  home = join(project, 'dist', 'run'),
  entries = ENTRIES,
  say = console.error,
} = {}) {
  const record = join(home, 'built.json');
  const built = readRecord(record, entries);
  if (built !== undefined && isFresh(project, built, record)) return join(home, built.folder);
  say('Building the program …');
  const { removeOldBundles, writeBundle } = await import('./write-bundle.mjs');
  const now = await writeBundle(project, home, entries);
  writeRecord(record, { entries, ...now });
  await removeOldBundles(home, now.folder);
  return join(home, now.folder);
}

/** {@link freshBundle} of the product for a command, which ends with a plain message when it may not be built here. */
export async function productBundle() {
  try {
    return await freshBundle();
  } catch (error) {
    if (!isForbidden(error)) throw error;
    console.error(`The program must be built, and this account may not write it: ${error.message}`);
    console.error('Run `npm run build` once as an account that may.');
    return process.exit(1);
  }
}

/** What is built of these very entries, if that still stands. */
function readRecord(record, entries) {
  try {
    const built = JSON.parse(readFileSync(record, 'utf8'));
    const isOfThese = JSON.stringify(built.entries) === JSON.stringify(entries);
    return isOfThese && existsSync(join(record, '..', built.folder)) ? built : undefined;
  } catch {
    return undefined;
  }
}

/** In one step, so that whoever reads it sees the old record or the new. */
function writeRecord(record, built) {
  const own = `${record}.${process.pid}`;
  writeFileSync(own, JSON.stringify(built), { mode: 0o664 });
  renameSync(own, record);
}

/**
 * Whether every input is as it was when the bundle was made. A file with another time but the same bytes, as after a
 * checkout or a copy, is the same; the times are then noted anew, where that may be written.
 */
function isFresh(project, built, record) {
  let hasOtherTimes = false;
  for (const input of built.inputs) {
    const [path, size, mtimeMs, sha256] = input;
    const file = join(project, path);
    const now = statSync(file, { throwIfNoEntry: false });
    if (now?.size !== size) return false;
    if (now.mtimeMs === mtimeMs) continue;
    if (createHash('sha256').update(readFileSync(file)).digest('hex') !== sha256) return false;
    hasOtherTimes = true;
    input[2] = now.mtimeMs;
  }
  if (!hasOtherTimes) return true;
  try {
    writeRecord(record, built);
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  return true;
}

function isForbidden({ code }) {
  return ['EACCES', 'EROFS', 'EPERM'].includes(code);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureNode();
  ensureDependencies();
  console.log(await productBundle());
}
