// Builds what `npm pack` puts into the package beside the ad server kit: the programs, in dist/packed/program, without what V8
// makes of them, which is right for one Node alone.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

/** The programs of the command `media-buy-agent` (`bin/entry-of.mjs`). */
const ENTRIES = ['start', 'server', 'worker', 'receiver', 'agent'].map((name) => `src/main/${name}.ts`);

/**
 * @param {string} [home] where it goes, two levels deep in the project's folder: paths from it to what lies in the package are
 *   as from there
 * @returns {Promise<string>} the folder, `program` in `home`
 */
export async function writePackage(home = join(root, 'dist', 'packed')) {
  const { writeBundle } = await import('./write-bundle.mjs');
  const { folder } = await writeBundle(root, home, ENTRIES);
  const program = join(home, 'program');
  await rm(program, { recursive: true, force: true });
  await rename(join(home, folder), program);
  await rm(join(program, 'program.code'));
  return program;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureNode();
  ensureDependencies();
  await writePackage();
}
