import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../src/admin/operator/operations.ts';

const ROOT = join(import.meta.dirname, '..');
const DECISIONS = readdirSync(join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name}`);
const DOCS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && entry.name.endsWith('.md') ? `docs/${entry.name}` : [],
  ),
  ...DECISIONS,
  'catalog/README.md',
  'agent-card/README.md',
  'packages/receiver/README.md',
  'packages/receiver-python/README.md',
];
/** Names old paths on purpose. */
const MOVED = 'docs/moved.md';
/** Of this project's own folders and files; other paths are URLs' or of the data folder. */
const OWN = /^(src|test|docs|scripts|bench|catalog|agent-card|packages|\.ci)\/[\w./-]*$|^[\w.-]+\.(json|md|ts|js)$/;
/** A paper at the top, by its name alone. */
const PAPER = /^[A-Z]{2,}\.md$|^LICENSE$/;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The paths that a document names in backticks, as they would be found from the top, and those that it links to. */
function pathsIn(path: string): string[] {
  const named = [...read(path).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text.replace(/\/$/, ''));
  const linked = [...read(path).matchAll(/\]\(([\w./-]+)\)/g)].map(([, text = '']) => join(dirname(path), text));
  return [...named.filter((text) => PAPER.test(text) || (OWN.test(text) && text.includes('/'))), ...linked];
}

const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
const SCRIPTS = Object.keys(scripts);

/** What a title is called in a link to it. */
function placeOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

describe('the documents', () => {
  it.each(DOCS.filter((doc) => doc !== MOVED))('%s names only paths that exist', (doc) => {
    expect(pathsIn(doc).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(DOCS)('%s leads only to places that it has, and says only scripts that there are', (doc) => {
    const text = read(doc);
    const places = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => placeOf(title));
    const led = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, place = '']) => place);
    expect(led.filter((place) => !places.includes(place))).toEqual([]);
    const said = [...text.matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)].map(([, name = '']) =>
      name.replace(/[:-]$/, ''),
    );
    expect(said.filter((name) => !SCRIPTS.includes(name))).toEqual([]);
  });

  it('docs/moved.md leads from paths that are gone to paths that exist', () => {
    const rows = [...read(MOVED).matchAll(/^\| `([^`]+)` +\| `([^`]+)`/gm)].map(([, was = '', is = '']) => ({
      was,
      is,
    }));
    expect(rows).not.toEqual([]);
    expect(rows.filter(({ was, is }) => existsSync(join(ROOT, was)) || !existsSync(join(ROOT, is)))).toEqual([]);
  });

  it('the house has its papers: licence, changes, how to contribute, what reviews catch, rules and words', () => {
    expect(DOCS).toEqual(
      expect.arrayContaining([
        'CHANGELOG.md',
        'CONTRIBUTING.md',
        'REVIEW.md',
        'SECURITY.md',
        'docs/glossary.md',
        'docs/rules.md',
      ]),
    );
    expect(read('LICENSE')).toMatch(/Apache License\s+Version 2\.0[^]+END OF TERMS AND CONDITIONS/);
    expect(read('package.json')).toContain('"license": "Apache-2.0"');
    expect(read('.nvmrc').trim()).toBe(/>=(\d+)/.exec(read('package.json'))?.[1]);
  });

  it('CHANGELOG.md has the version of package.json, and what is not released yet', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(read('CHANGELOG.md')).toContain('## [Unreleased]');
    expect(read('CHANGELOG.md')).toContain(`## [${version}] - `);
  });

  it('docs/README.md lists every paper in docs', () => {
    const listed = pathsIn('docs/README.md');
    const inDocs = DOCS.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
    expect(inDocs.filter((path) => !listed.includes(path))).toEqual([]);
  });

  it('README.md names the two commands and stays short enough to be read', () => {
    expect(read('README.md')).toContain('npm start');
    expect(read('README.md')).toContain('npm test');
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(160);
  });

  it('docs/operator.md lists every call of the operator API and no other', () => {
    const listed = [...read('docs/operator.md').matchAll(/`((?:GET|POST) \S+)`/g)].map(([, call]) => call);
    expect(listed).toEqual(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  });

  it('a decision is 20 to 45 lines beside the rows of its tables, numbered, each number once', () => {
    const numbers = DECISIONS.map((path) => /(\d{4})-/.exec(path)?.[1]);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const path of DECISIONS) {
      const lines = read(path).trim().split('\n');
      const told = lines.filter((line) => !line.startsWith('|'));
      expect([path, lines.length >= 20, told.length <= 45]).toEqual([path, true, true]);
    }
  });

  it("README.md's call names a product and a pricing option that the catalog has", () => {
    const [, product_id, option] = /"product_id":"([^"]+)","pricing_option_id":"([^"]+)"/.exec(read('README.md')) ?? [];
    const products = JSON.parse(read('catalog/products.json')) as {
      product_id: string;
      pricing_options: { pricing_option_id: string }[];
    }[];
    const product = products.find((entry) => entry.product_id === product_id);
    expect(product?.pricing_options.map(({ pricing_option_id }) => pricing_option_id)).toContain(option);
  });
});
