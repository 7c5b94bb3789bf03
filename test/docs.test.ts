import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../src/admin/operator/operations.ts';

const ROOT = join(import.meta.dirname, '..');
const DECISIONS = readdirSync(join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name}`);
const DOCS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'catalog/README.md', 'docs/operator.md', ...DECISIONS];
/** Of this project's own folders and files; other paths are URLs' or of the data folder. */
const OWN = /^(src|test|docs|scripts|bench|catalog|agent-card|\.ci)\/[\w./-]*$|^[\w.-]+\.(json|md|ts|js)$/;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The paths that a document names in backticks, as they would be found from the top or from beside it. */
function pathsIn(path: string): string[] {
  const named = [...read(path).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text.replace(/\/$/, ''));
  return named.filter((text) => OWN.test(text) && text.includes('/'));
}

describe('the documents', () => {
  it.each(DOCS)('%s names only paths that exist', (doc) => {
    expect(pathsIn(doc).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
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

  it('a decision is 20 to 40 lines, numbered, each number once', () => {
    const numbers = DECISIONS.map((path) => /(\d{4})-/.exec(path)?.[1]);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const path of DECISIONS) {
      expect([path, read(path).trim().split('\n').length >= 20]).toEqual([path, true]);
      expect([path, read(path).trim().split('\n').length <= 45]).toEqual([path, true]);
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
