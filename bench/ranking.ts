import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import MiniSearch from 'minisearch';
import { loadCatalog } from '../src/sales/catalog.ts';
import type { Catalog } from '../src/sales/catalog.ts';
import { ASPECT_WEIGHTS, aspectsOf } from '../src/sales/product/aspects.ts';
import { createFullTextRanker } from '../src/sales/product/full-text-ranker.ts';
import { wordsOf } from '../src/sales/product/words.ts';
import { median } from './figures.ts';

const PRODUCTS = 10_000;
const FOUND = 50;
const BRIEF_WORDS = 64;

/**
 * Our ranker against MiniSearch (`docs/decisions/0018-ours-beside-a-library.md`): both know the same words of the same
 * products, read a word they do not know as one like it, and answer the fifty best.
 */
export async function benchRanking(): Promise<void> {
  const catalog = await repeatedCatalog();
  const all = [...catalog.products.values()];

  const empty = await held();
  const ranker = createFullTextRanker(catalog);
  const ours = (await held()) - empty;
  const texts = all.map((product) => {
    const aspects = Object.entries(aspectsOf(product, catalog));
    return { id: product.product_id, ...Object.fromEntries(aspects.map(([name, text]) => [name, termsOf(text)])) };
  });
  const known = new Set(texts.flatMap((text) => Object.values(text).flatMap((terms) => terms.split(SEPARATOR))));
  const peer = new MiniSearch({
    fields: Object.keys(ASPECT_WEIGHTS),
    tokenize: (text) => text.split(SEPARATOR),
    processTerm: (term) => term,
    searchOptions: {
      boost: ASPECT_WEIGHTS,
      prefix: (term) => !known.has(term) && term.length >= 4,
      fuzzy: (term) => (known.has(term) ? false : term.length < 7 ? 1 : 2),
    },
  });
  const without = await held();
  peer.addAll(texts);
  const theirs = (await held()) - without;
  console.log(`memory of ${PRODUCTS} products, MB`.padEnd(44), `ours ${ours}   MiniSearch ${theirs}`);

  for (const [what, brief] of [
    ['a brief of a sentence', 'Connected TV for a car launch in the UK, 30 second spots'],
    [`a brief of ${BRIEF_WORDS} common words`, commonWords(catalog)],
  ] as const) {
    const ourMs = await cpuMs(() => ranker.rank({ brief, limit: FOUND }, all));
    const theirMs = await cpuMs(() => peer.search(termsOf(brief)).slice(0, FOUND));
    console.log(
      `${what}, ms of processor`.padEnd(44),
      `ours ${ourMs.toFixed(1)}   MiniSearch ${theirMs.toFixed(1)}   ratio ${(theirMs / ourMs).toFixed(1)}`,
    );
  }
}

const SEPARATOR = '\n';

function termsOf(text: string): string {
  return wordsOf(text)
    .map(({ term }) => term)
    .join(SEPARATOR);
}

/** The shipped catalog, its products repeated, each with some words of its own. */
async function repeatedCatalog(): Promise<Catalog> {
  const folder = fileURLToPath(new URL('../catalog', import.meta.url));
  const catalog = await loadCatalog(folder, { baseUrl: 'https://sales.publisher.example' });
  const shipped = [...catalog.products.values()];
  const products = Array.from({ length: PRODUCTS }).flatMap((_, i) => {
    const product = shipped[i % shipped.length];
    const own = [i % 97, i % 389, i % 1_543].map((n) => `edition${n.toString(36)}`).join(' ');
    return product === undefined
      ? []
      : [{ ...product, product_id: `p_${i}`, description: `${product.description} ${own}` }];
  });
  return { ...catalog, products: new Map(products.map((product) => [product.product_id, product])) };
}

/** The words that most products hold, as an unhelpful buyer would write them. */
function commonWords(catalog: Catalog): string {
  const counts = new Map<string, number>();
  for (const product of [...catalog.products.values()].slice(0, 24)) {
    const written = Object.values(aspectsOf(product, catalog)).flatMap((text) =>
      wordsOf(text).map((word) => word.written),
    );
    for (const word of new Set(written)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([, a], [, b]) => b - a);
  return byCount
    .slice(0, BRIEF_WORDS)
    .map(([word]) => word)
    .join(' ');
}

/** Megabytes in use, after what nobody holds is gone. */
async function held(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) {
    collect();
    await pause(50); // some of it is freed beside
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return Math.round((heapUsed + arrayBuffers) / 1e6);
}

async function cpuMs(call: () => unknown): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < 12; i++) {
    const before = process.cpuUsage();
    await call();
    const { user, system } = process.cpuUsage(before);
    if (i >= 3) took.push((user + system) / 1000); // the first warm up
  }
  return median(took);
}
