import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { projectRoot } from '../support/project-files.ts';

interface Bundles {
  freshBundle: (of: { root: string; entries: string[]; say: (line: string) => void }) => Promise<string>;
}

const script = pathToFileURL(join(projectRoot, 'scripts/bundle.mjs')).href;
const { freshBundle } = (await import(script)) as Bundles;

/** A small project with the parts that a bundle has to get right. */
const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module", "imports": { "#word": "./packages/words/src/word.ts" } }',
  'package-lock.json': '{}',
  'tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
  'packages/words/src/word.ts': `export const word: string = 'word';\n`,
  'src/main/one.ts': [
    `import { word } from '#word';`,
    `import { beside } from '../deep/down/beside.ts';`,
    `type Unused = { of: never };`,
    `const [what] = process.argv.slice(2);`,
    `if (what === 'fail') throw new Error(word);`,
    `console.log(JSON.stringify({ word, beside: beside(), ...(what === 'late' && (await import('../late.ts'))) }));`,
  ].join('\n'),
  'src/main/two.ts': `import { word } from '#word';\nconsole.log(word);\n`,
  'src/late.ts': `export const late = true;\n`,
  'src/deep/down/beside.ts': [
    `import { readFileSync } from 'node:fs';`,
    `export const beside = (): string => readFileSync(new URL('beside.txt', import.meta.url), 'utf8');`,
  ].join('\n'),
  'src/deep/down/beside.txt': 'beside',
};

let root: string;
let said: string[];
const roots: string[] = [];
const ENTRIES = ['src/main/one.ts', 'src/main/two.ts'];
const fresh = (entries = ENTRIES) => freshBundle({ root, entries, say: (line) => said.push(line) });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'media-buy-agent-bundle-'));
  roots.push(root);
  said = [];
  for (const [path, text] of Object.entries(FILES)) await put(path, text);
  await mkdir(join(root, 'scripts'));
  for (const name of ['write-bundle.mjs', 'line-maps.mjs', 'launch.mjs'])
    await cp(join(projectRoot, 'scripts', name), join(root, 'scripts', name));
});

afterAll(async () => {
  for (const made of roots) await rm(made, { recursive: true, force: true });
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

function run(folder: string, ...args: string[]) {
  return spawnSync(process.execPath, [join(folder, 'one.mjs'), ...args], { encoding: 'utf8' });
}

it('a bundle is built once, runs, and finds what lies beside its sources, wherever the project has gone', async () => {
  const folder = await fresh();
  expect(await fresh()).toBe(folder);
  expect(said).toHaveLength(1);
  expect(JSON.parse(run(folder, 'late').stdout)).toEqual({ word: 'word', beside: 'beside', late: true });

  const elsewhere = `${root}-elsewhere`;
  roots.push(elsewhere);
  await rename(root, elsewhere);
  expect(run(folder.replace(root, elsewhere)).stdout).toBe('{"word":"word","beside":"beside"}\n');
});

it('a stack says the line of the source', async () => {
  const { stderr } = run(await fresh(), 'fail');
  expect(stderr).toContain('src/main/one.ts:5');
});

it('a program starts with the code that V8 made of it, and without, where another Node made it', async () => {
  const folder = await fresh();
  const isTaken = `
    const { readFileSync } = require('node:fs');
    const cachedData = readFileSync('program.code');
    const script = new (require('node:vm').Script)(readFileSync('program.cjs', 'latin1'), { filename: 'program.cjs', cachedData });
    console.log(script.cachedDataRejected === false);`;
  expect(spawnSync(process.execPath, ['--eval', isTaken], { cwd: folder, encoding: 'utf8' }).stdout).toBe('true\n');
  await writeFile(join(folder, 'program.code'), 'of another Node');
  expect(run(folder)).toMatchObject({ status: 0, stderr: '', stdout: '{"word":"word","beside":"beside"}\n' });
});

it('what has changed is built again, and what has only another time is not', async () => {
  const first = await fresh();
  await utimes(join(root, 'src/late.ts'), 1, 1);
  expect(await fresh()).toBe(first);
  expect(said).toHaveLength(1);

  // Of the same length, as a size alone would not tell.
  await put('packages/words/src/word.ts', `export const word: string = 'sword';\n`.replace('sword', 'sord'));
  const second = await fresh();
  expect(second).not.toBe(first);
  expect(JSON.parse(run(second).stdout)).toMatchObject({ word: 'sord' });
  // A process that was started from it may still load a part of it.
  expect(JSON.parse(run(first, 'late').stdout)).toMatchObject({ word: 'word', late: true });

  for (const path of ['package-lock.json', 'tsconfig.json']) {
    await put(path, '{ }');
    await fresh();
  }
  expect(said).toHaveLength(4);
});

it('two that build at once both get a whole one, and nothing is left of the work', async () => {
  const [one, other] = await Promise.all([fresh(), fresh()]);
  expect(other).toBe(one);
  expect(run(one).status).toBe(0);
  expect((await readdir(join(root, 'dist/run'))).sort()).toEqual([one.split('/').at(-1), 'built.json'].sort());
});

it('a build that is no more, and a record that is no record, are made again', async () => {
  const folder = await fresh();
  await rm(folder, { recursive: true });
  expect(await fresh()).toBe(folder);
  await put('dist/run/built.json', '{');
  expect(await fresh()).toBe(folder);
  expect(said).toHaveLength(3);
});

it('a build of which a part is gone, as a removal that was killed leaves it, does not stand in the way of a whole one', async () => {
  const whole = await fresh();
  await rm(join(whole, 'two.mjs'));
  await rm(join(root, 'dist/run/built.json'));
  expect(await fresh()).toBe(whole);
  expect(await readdir(whole)).toContain('two.mjs');
  expect((await readdir(join(root, 'dist/run'))).filter((name) => name.startsWith('.'))).toEqual([]);
});

it('what is built is nothing that everyone may write, whatever the umask', async () => {
  const before = process.umask(0);
  try {
    const folder = await fresh();
    const names = ['.', '..', '../..', '../built.json', ...(await readdir(folder))];
    const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o002));
    expect(modes).toEqual(names.map(() => 0));
  } finally {
    process.umask(before);
  }
});

it('a program that is asked for besides is built, though no source has changed', async () => {
  expect(await readdir(await fresh(['src/main/one.ts']))).not.toContain('two.mjs');
  expect(await readdir(await fresh())).toContain('two.mjs');
});

it('no more than five builds are kept', async () => {
  for (const n of [1, 2, 3, 4, 5, 6, 7]) {
    await put('src/late.ts', `export const late = ${n};\n`);
    await fresh();
  }
  expect(await readdir(join(root, 'dist/run'))).toHaveLength(5 + 1);
});

it('what is built is written nowhere else, and starting it writes nothing', async () => {
  const folder = await fresh();
  const before = await stat(join(root, 'dist/run'));
  await fresh();
  expect((await stat(join(root, 'dist/run'))).mtimeMs).toBe(before.mtimeMs);
  expect((await readFile(join(root, 'dist/run/built.json'), 'utf8')).startsWith('{')).toBe(true);
  expect(run(folder).status).toBe(0);
});

it('a source that asks import.meta for more than its url is refused by name', async () => {
  await put('src/late.ts', 'export const late = import.meta.dirname;\n');
  await expect(fresh()).rejects.toThrow('src/late.ts');
});
