// Makes the bundle that `npm start` and its like run: one folder of JavaScript for all commands of src/main, with the
// libraries they import in it, since reading a thousand small files takes longer than all that a start does.
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { build } from 'esbuild';
import { lineMap } from './line-maps.mjs';

/**
 * What stays in node_modules: native code, what reads files that lie beside it, and what only some installations load.
 * Everything else is bundled as Node itself would load it.
 */
const APART = ['libsql', 'msgpackr-extract', 'mongoose', '@grpc/grpc-js', '@bull-board/*'];

/** Builds that stand; a running process may still load a part of the one that it was started from. */
const KEPT = 5;

/** A folder of a build that was never finished goes after this many milliseconds. */
const UNFINISHED_MS = 3_600_000;

/** What decides the bundle besides the sources; the lock file stands for everything in node_modules. */
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts/write-bundle.mjs',
  'scripts/line-maps.mjs',
];

/**
 * Builds, and answers where and from what. Several processes may do so at once: each in a folder of its own, which
 * gets its name, the digest of what it was made from, in one step.
 * @param {string} root the project's folder
 * @param {string} home where builds stand
 * @param {readonly string[]} entries paths in the project; no two of one name
 * @returns {Promise<{ folder: string, inputs: [path: string, size: number, mtimeMs: number, sha256: string][] }>}
 */
export async function writeBundle(root, home, entries) {
  await mkdir(home, { recursive: true });
  const folder = await mkdtemp(join(home, '.unfinished-'));
  const read = new Map();
  try {
    // Noted before they are read, so that what is changed meanwhile is stale at the next start.
    for (const path of SETTINGS) read.set(path, await noted(root, path));
    const { metafile, outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: entries.map((entry) => ({ in: join(root, entry), out: basename(entry, '.ts') })),
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: APART,
      sourcemap: 'linked',
      sourcesContent: false,
      metafile: true,
      // What is wrong is in the error.
      logLevel: 'silent',
      // For CommonJS that is bundled and asks for a module of Node's.
      banner: {
        js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
      },
      plugins: [ownSources(root, read)],
      write: false,
    });
    for (const path of Object.keys(metafile.inputs)) {
      if (path.startsWith('node_modules/') || read.has(path)) continue;
      throw new Error(`${path} is in the bundle, but nothing would tell that it has changed`);
    }
    for (const { path, text } of outputFiles) await writeFile(path, path.endsWith('.map') ? lineMap(text) : text);
    // For everyone who may read the sources, as far as this account's umask goes.
    await chmod(folder, 0o777 & ~process.umask());
    const inputs = [...read].map(([path, { size, mtimeMs, sha256 }]) => [path, size, mtimeMs, sha256]).sort();
    const digest = createHash('sha256').update(
      JSON.stringify([entries, inputs.map(([path, , , sha256]) => [path, sha256])]),
    );
    const name = digest.digest('hex').slice(0, 16);
    await rename(folder, join(home, name)).catch((error) => {
      // Another process has built the same meanwhile.
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    });
    return { folder: name, inputs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function noted(root, path) {
  const { size, mtimeMs } = await stat(join(root, path));
  const bytes = await readFile(join(root, path));
  return { size, mtimeMs, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Our own sources, each noted as it is read. Files that lie beside one are found from where it stood, not from the bundle:
 * by a path from the one to the other, so that the whole project may be moved.
 */
function ownSources(root, read) {
  return {
    name: 'own-sources',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|json)$/ }, async ({ path }) => {
        const name = relative(root, path);
        if (name.startsWith('node_modules')) return undefined;
        const source = await noted(root, name);
        read.set(name, source);
        const text = source.bytes.toString('utf8');
        if (name.endsWith('.json')) return { contents: text, loader: 'json' };
        if (/import\.meta\.(?!url\b)/.test(text))
          return { errors: [{ text: `${name}: of import.meta only url is right in a bundle` }] };
        const here = `new URL(${JSON.stringify(`../../../${name}`)}, import.meta.url).href`;
        return { contents: text.replaceAll('import.meta.url', here), loader: 'ts' };
      });
    },
  };
}

/** Removes builds beyond the newest, and what a killed process left behind. */
export async function removeOldBundles(home, current) {
  const names = await readdir(home);
  const found = await Promise.all(
    names
      .filter((name) => name !== current && !name.startsWith('built.json'))
      .map(async (name) => {
        const { mtimeMs } = await stat(join(home, name)).catch(() => ({ mtimeMs: 0 }));
        return { name, mtimeMs };
      }),
  );
  const unfinished = found.filter(({ name, mtimeMs }) => name.startsWith('.') && mtimeMs < Date.now() - UNFINISHED_MS);
  const done = found.filter(({ name }) => !name.startsWith('.')).sort((a, b) => b.mtimeMs - a.mtimeMs);
  const gone = [...unfinished, ...done.slice(KEPT - 1)];
  await Promise.all(gone.map(({ name }) => rm(join(home, name), { recursive: true, force: true })));
}
