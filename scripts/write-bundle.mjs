// Makes the bundle that `npm start` and its like run: one folder of JavaScript for all commands of src/main, with the
// libraries they import in it, since reading a thousand small files takes longer than all that a start does.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { lineMap } from './line-maps.mjs';

/**
 * What stays in node_modules: native code, what reads files that lie beside it, and what only some installations load.
 * Everything else is bundled as Node itself would load it.
 */
const APART = [
  'libsql',
  'msgpackr-extract',
  'mongoose',
  '@grpc/grpc-js',
  '@bull-board/*',
  // Their interface is bundled, since every process asks it.
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
];

/** The file of V8's code (`scripts/launch.mjs`). */
const CODE = 'program.code';

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
  'scripts/launch.mjs',
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
  await mkdir(home, { recursive: true, mode: 0o775 });
  const folder = await mkdtemp(join(home, '.unfinished-'));
  const read = new Map();
  try {
    // Noted before they are read, so that what is changed meanwhile is stale at the next start.
    for (const path of SETTINGS) read.set(path, await noted(root, path));
    const { metafile, outputFiles } = await build({
      absWorkingDir: root,
      stdin: { contents: programOf(entries), resolveDir: root, sourcefile: 'program.ts', loader: 'ts' },
      outfile: join(folder, 'program.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      external: APART,
      // A script finds what stays apart by `require`, wherever the project has gone.
      supported: { 'dynamic-import': false },
      sourcemap: 'linked',
      sourcesContent: false,
      metafile: true,
      // What is wrong is in the error.
      logLevel: 'silent',
      // What is called by scripts/launch.mjs.
      banner: { js: '(function (exports, require, module, bundleUrl) {' },
      footer: { js: '})' },
      define: { 'import.meta.url': 'bundleUrl' },
      plugins: [entryModules(root, read), ownSources(root, read)],
      write: false,
    });
    for (const path of Object.keys(metafile.inputs)) {
      if (/^(node_modules\/|run:|parts:|program\.ts$)/.test(path) || read.has(path)) continue;
      throw new Error(`${path} is in the bundle, but nothing would tell that it has changed`);
    }
    for (const { path, text } of outputFiles) await writeFile(path, path.endsWith('.map') ? lineMap(text) : text);
    for (const name of entries.map(nameOf))
      await writeFile(join(folder, `${name}.mjs`), `import { launch } from './launch.mjs';\nlaunch('${name}');\n`);
    await writeFile(join(folder, 'launch.mjs'), read.get('scripts/launch.mjs').bytes);
    await keepCode(folder);
    // For everyone who may read the sources, as far as this account's umask goes; what others run is never everyone's to write.
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o664 & ~process.umask());
    await chmod(folder, 0o775 & ~process.umask());
    const inputs = [...read].map(([path, { size, mtimeMs, sha256 }]) => [path, size, mtimeMs, sha256]).sort();
    const digest = createHash('sha256').update(
      JSON.stringify([process.version, process.arch, entries, inputs.map(([path, , , sha256]) => [path, sha256])]),
    );
    const name = digest.digest('hex').slice(0, 16);
    await moveTo(join(home, name), folder);
    return { folder: name, inputs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const nameOf = (entry) => basename(entry, '.ts');

/** One program of all commands: `run`, which starts one, and `parts`, which loads what one imports. */
function programOf(entries) {
  const members = (from) =>
    entries.map((entry) => `${JSON.stringify(nameOf(entry))}: () => import('${from}:${entry}')`);
  return `export const run = { ${members('run').join(', ')} };\nexport const parts = { ${members('parts').join(', ')} };\n`;
}

/**
 * The modules `run:ENTRY`, which is the entry in a function that may await, as a script cannot, and `parts:ENTRY`, which imports
 * what the entry does and runs nothing.
 */
function entryModules(root, read) {
  return {
    name: 'entry-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(run|parts):/ }, ({ path }) => {
        const [namespace, entry] = path.split(':');
        // Not where the project lies here: it stands in the bundle, which others may be given.
        return { path: entry, namespace };
      });
      onLoad({ filter: /.*/, namespace: 'run' }, async ({ path }) => {
        const { imports, rest, map } = await entryOf(path);
        return { contents: `${imports}(async () => {${rest}})();\n${map}`, resolveDir: dirname(join(root, path)) };
      });
      onLoad({ filter: /.*/, namespace: 'parts' }, async ({ path }) => {
        const { imports } = await entryOf(path);
        return { contents: imports, resolveDir: dirname(join(root, path)) };
      });
    },
  };

  /** An entry without its types, cut in two where its imports end; the lines stay as many. */
  async function entryOf(name) {
    const source = await noted(root, name);
    read.set(name, source);
    const text = ownText(name, source);
    const { code } = await transform(text, { loader: 'ts', sourcefile: `../../../${name}`, sourcemap: 'inline' });
    const [, imports, rest, map] = /^((?:import .*;\n)*)([^]*?)(\/\/# sourceMappingURL=.*\n)$/.exec(code);
    return { imports, rest, map };
  }
}

/** Has V8 make the code that every start would make again. */
async function keepCode(folder) {
  const script = `import(${JSON.stringify(pathToFileURL(join(folder, 'launch.mjs')).href)}).then(({ keepCode }) => keepCode())`;
  await promisify(execFile)(process.execPath, ['--eval', script]);
}

/** Gives a build its name, unless another process has built the same meanwhile. One that is not whole, as a killed removal left it, goes. */
async function moveTo(place, folder) {
  for (;;) {
    try {
      await rename(folder, place);
      return;
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
      if (await isSame(folder, place)) return;
      await remove(place);
    }
  }
}

async function isSame(folder, place) {
  for (const name of await readdir(folder)) {
    const theirs = await readFile(join(place, name)).catch(() => undefined);
    // What V8 makes of the same text need not be the same.
    const isIt = name === CODE ? theirs?.length > 0 : theirs?.equals(await readFile(join(folder, name)));
    if (isIt !== true) return false;
  }
  return true;
}

/** In one step, so that whoever is killed meanwhile leaves no half of a build under its name. */
async function remove(place) {
  const gone = await mkdtemp(join(place, '..', '.unfinished-'));
  // Another process may do the same.
  await rename(place, join(gone, basename(place))).catch(() => undefined);
  await rm(gone, { recursive: true, force: true });
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
      onLoad({ filter: /\.(tsx?|json)$/ }, async ({ path }) => {
        const name = relative(root, path);
        if (name.startsWith('node_modules')) return undefined;
        const source = await noted(root, name);
        read.set(name, source);
        if (name.endsWith('.json')) return { contents: source.bytes, loader: 'json' };
        return { contents: ownText(name, source), loader: name.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}

/** @throws {Error} for a member of `import.meta` that a bundle has no right value for */
function ownText(name, { bytes }) {
  const text = bytes.toString('utf8');
  if (/import\.meta\.(?!url\b)/.test(text)) throw new Error(`${name}: of import.meta only url is right in a bundle`);
  const here = `new URL(${JSON.stringify(`../../../${name}`)}, import.meta.url).href`;
  return text.replaceAll('import.meta.url', here);
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
  await Promise.all(unfinished.map(({ name }) => rm(join(home, name), { recursive: true, force: true })));
  await Promise.all(done.slice(KEPT - 1).map(({ name }) => remove(join(home, name))));
}
