import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';
import { breachesIn } from './support/citations.ts';
import { filesUnder, projectRoot, readProjectFile } from './support/project-files.ts';

const ids = REQUIREMENTS.map(({ id }) => id);
const READ = /\.(ts|mjs|js|md)$|^\.ci\/run$|^\.env\.example$/;
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'docs', 'catalog', 'agent-card', 'packages', '.ci'];

const topmost = (await readdir(projectRoot, { withFileTypes: true })).filter((entry) => entry.isFile());
const paths = [
  ...topmost.map(({ name }) => name),
  ...(await Promise.all(FOLDERS.map((folder) => filesUnder(folder)))).flat(),
].filter((path) => READ.test(path) && path !== 'test/citations.test.ts');
const breaches = (await Promise.all(paths.map(readProjectFile))).flatMap((file) => breachesIn(file, ids));

it('every comment and paper cites rules that stand in docs/rules.md, in its one form, and nothing that leads nowhere', () => {
  expect(breaches).toEqual([]);
});

it('is asked of every folder that has code or papers', () => {
  for (const folder of FOLDERS)
    expect([folder, paths.some((path) => path.startsWith(`${folder}/`))]).toEqual([folder, true]);
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'eslint.config.js', '.env.example']));
});

describe('the search for citations', () => {
  const found = (text: string, path = 'src/a.ts') => breachesIn({ path, text }, ids).map((breach) => breach.found);

  it.each([
    ['/** Sent again (rule W7). */'],
    ['/**\n * Sent again (rules W7,\n * C.events.9).\n */'],
    ['// as rule W12 says: (rule W12, step 7), (RFC 9421, rule C.webhook.signatures.3)'],
    ['const T1 = Date.UTC(2026, 0, 1); // T-shirts, B2B, ES256 and S256 are none'],
    ["import { suite } from './collection-contract.ts';"],
    ['const contract = W4;'],
  ])('is content with %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ['/** (rule W99) */', 'no rule W99'],
    ['/** (rules W7, C.events.99) */', 'no rule C.events.99'],
    ['/** (rule W7.nothing) */', 'no rule W7.nothing'],
    ['/** Sent again (W7). */', 'not cited as (rule W7)'],
    ['/** Sent again (decisions\n * W7). */', 'not cited as (rule W7)'],
    ['// rules W7 to W9', 'not cited as (rule W9)'],
    ['// rule W7 and W8', 'not cited as (rule W8)'],
    ['// C.events.9 says so', 'not cited as (rule C.events.9)'],
    ['/** (rule W7, W8) */', 'rule of one'],
    ['/** (rules W7) */', 'rule of one'],
    ['/** (rule W12 step 7) */', 'a comma before the step'],
    ['/** (contract "Errors") */', 'leads nowhere'],
    ["fail('as the contract says');", 'leads nowhere'],
    ['fail(`${name} breaks W4`);', 'not cited as (rule W4)'],
    ['const a = 1;\n// the end (W7)', 'not cited as (rule W7)'],
  ])('finds %s', (text, breach) => {
    expect(found(text).join()).toContain(breach);
  });

  it('reads papers whole, and not the titles and data of tests', () => {
    expect(found('Sent again, see\nW7.', 'docs/a.md').join()).toContain('not cited as (rule W7)');
    expect(found("it('[W7] sends again', () => use('T1'));", 'test/a.test.ts')).toEqual([]);
    expect(found("it('sends', () => {}); // see W7", 'test/a.test.ts').join()).toContain('not cited as (rule W7)');
  });
});
