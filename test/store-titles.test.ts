import { describe, expect, it } from 'vitest';
import { typescriptFiles } from './support/project-files.ts';

/** The lists of stores that are longer where there is a MongoDB, and what tells whether there is one. */
const LISTS = 'STORES|hasMongodb|mongoTestUrl';
/** A use of a list that gives each test of it a title: the title follows. */
const TITLED = new RegExp(
  `(?:\\.(?:each|runIf|skipIf)\\(!?(?:${LISTS})\\b[^\n]*?\\)|\\b(?:describe|it)OnStores)\\(\\s*(['\`])(.*?)\\1`,
  'gs',
);
const NAMES_ITS_STORE = /%s|\$name|\$store|mongodb/i;
/** All tests of such a file are on the last store of the list. */
const WHOLE_FILE = "\nconst kind = STORES.at(-1) ?? 'sqlite';\n";

/** What is wrong with how a test file uses the lists, if anything. */
function troubleIn(text: string): string[] {
  const code = text.replaceAll(/^import .*$/gm, '').replaceAll(new RegExp(`typeof (?:${LISTS})`, 'g'), '');
  const untitled = code.replaceAll(TITLED, '').replace(WHOLE_FILE, '');
  return [
    ...[...code.matchAll(TITLED)].flatMap(([, , title = '']) => (NAMES_ITS_STORE.test(title) ? [] : [title])),
    ...(new RegExp(`^.*\\b(?:${LISTS})\\b.*$`, 'm').exec(untitled) ?? []),
    ...(code.includes(WHOLE_FILE)
      ? [...code.matchAll(/^(?:describe|it)\(.*$/gm)].flatMap(([line]) => (line.includes('${kind}') ? [] : [line]))
      : []),
  ];
}

describe('a test that runs on MongoDB where there is one', () => {
  it('says so in its title, so that all of them can be run by name', async () => {
    const files = (await typescriptFiles('test')).filter(({ path }) => path.endsWith('.test.ts'));
    const troubles = files.filter(({ path }) => path !== 'test/store-titles.test.ts');
    expect(troubles.flatMap(({ path, text }) => troubleIn(text).map((trouble) => `${path}: ${trouble}`))).toEqual([]);
    expect(files.some(({ text }) => text.search(TITLED) !== -1)).toBe(true);
  });

  it.each([
    ["describe.each(STORES)('on %s', () => {", []],
    ["describe.each(STORES)('somewhere', () => {", ['somewhere']],
    ["describeOnStores('on %s', (store) => {", []],
    ["itOnStores('somewhere', (store) => {", ['somewhere']],
    ["it.each(STORES.filter((store) => store === 'mongodb'))(\n  'run two on one %s',", []],
    ["describe.runIf(mongoTestUrl !== undefined)('a MongoDB', () => {", []],
    ["describe.runIf(mongoTestUrl !== undefined)('a store', () => {", ['a store']],
    ['const last = STORES.at(-1);', ['const last = STORES.at(-1);']],
    [`${WHOLE_FILE}describe(\`here on \${kind}\`, () => {`, []],
    [`${WHOLE_FILE}describe('here', () => {`, ["describe('here', () => {"]],
  ])('is found wanting in %j: %j', (text, trouble) => {
    expect(troubleIn(text)).toEqual(trouble);
  });
});
