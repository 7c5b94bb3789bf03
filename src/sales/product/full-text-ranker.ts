import type { Catalog } from '../catalog.ts';
import { ASPECTS, ASPECT_WEIGHTS, aspectsOf } from './aspects.ts';
import type { Aspect } from './aspects.ts';
import type { Product } from './product.ts';
import type { ProductRanker, RankedProduct } from './ranker.ts';
import { createTextIndex } from './text-index.ts';
import type { TextMatch, WordFound } from './text-index.ts';
import { wordsOf } from './words.ts';
import type { Word } from './words.ts';

/** Of a brief, the first so many characters and telling words are read: enough for any brief, and bounded work. */
const MAX_CHARACTERS = 10_000;
const MAX_WORDS = 64;
const MAX_REASONS = 6;

/**
 * The default ranker: full text over everything a product says. Products that share no word with the brief are left out;
 * the brand's words raise those that do. When the brief finds nothing, all candidates are answered: those that
 * share words with the brand first, the others unranked. Holds an index of the catalog it was made with, and
 * ranks that catalog's products only. Deterministic.
 */
export function createFullTextRanker(catalog: Catalog): ProductRanker {
  const products = [...catalog.products.values()];
  const index = createTextIndex(
    products.map((product) => ({ id: product.product_id, fields: wordsOfAspects(product, catalog) })),
    ASPECT_WEIGHTS,
  );
  return {
    rank({ brief, brand = '', limit = Infinity }, candidates) {
      const briefWords = distinctWords(brief);
      const brandWords = distinctWords(brand).filter(({ term }) => !briefWords.some((word) => word.term === term));
      const isWanted = among(candidates, products.length);
      const search = (words: Word[], hints: Word[] = []) => index.search(words, isWanted, limit, hints);
      const matches = search(briefWords, brandWords);
      if (matches.length > 0) return Promise.resolve(ranked(matches, catalog));
      const byBrand = search(brandWords).map((match) => ({ ...match, found: [], hinted: match.found }));
      const first = ranked(byBrand, catalog);
      const isFirst = new Set(byBrand.map(({ id }) => id));
      const others = candidates.filter(({ product_id }) => !isFirst.has(product_id)).slice(0, limit - first.length);
      return Promise.resolve([...first, ...unranked(others, briefWords)]);
    },
  };
}

/** Whether a product is among the candidates, of which each is one of the catalog's `all`. */
function among(candidates: readonly Product[], all: number): (id: string) => boolean {
  if (candidates.length === all) return () => true;
  const ids = new Set(candidates.map(({ product_id }) => product_id));
  return (id) => ids.has(id);
}

function wordsOfAspects(product: Product, catalog: Catalog): Record<Aspect, Word[]> {
  const texts = Object.entries(aspectsOf(product, catalog));
  return Object.fromEntries(texts.map(([aspect, text]) => [aspect, wordsOf(text)])) as Record<Aspect, Word[]>;
}

/** The brief's words, each once, as first written. */
function distinctWords(brief: string): Word[] {
  const byTerm = new Map<string, Word>();
  for (const word of wordsOf(brief.slice(0, MAX_CHARACTERS))) {
    if (byTerm.size === MAX_WORDS) break;
    if (!byTerm.has(word.term)) byTerm.set(word.term, word);
  }
  return [...byTerm.values()];
}

function ranked(matches: readonly TextMatch<Aspect>[], { products }: Catalog): RankedProduct[] {
  const best = matches[0]?.score ?? 1;
  return matches.flatMap(({ id, score, found, hinted }) => {
    const product = products.get(id);
    if (product === undefined) return [];
    const relative = Math.max(0.0001, Math.round((score / best) * 10_000) / 10_000);
    return [{ product, score: relative, match_reason: reasonOf(found, hinted) }];
  });
}

function unranked(candidates: readonly Product[], words: readonly Word[]): RankedProduct[] {
  const why = words.length === 0 ? 'the brief names nothing to search for' : 'no product shares a word with the brief';
  const match_reason = `not ranked: ${why}; it passes the filters`;
  return candidates.map((product) => ({ product, score: null, match_reason }));
}

/** Such as: matches "recipes" in name and topics; "families" in audiences; the brand's "baking" in topics. */
function reasonOf(found: readonly WordFound<Aspect>[], hinted: readonly WordFound<Aspect>[]): string {
  const reasons = [listOf(found, ''), listOf(hinted, "the brand's ")].filter((text) => text !== '');
  return `matches ${reasons.join('; ')}`;
}

function listOf(found: readonly WordFound<Aspect>[], whose: string): string {
  const parts = found.slice(0, MAX_REASONS).map(({ word, readAs, fields }) => {
    const reading = readAs === undefined ? '' : ` (read as "${readAs}")`;
    return `${whose}"${word.written}"${reading} in ${listed(fields.map((aspect) => ASPECTS[aspect].called))}`;
  });
  const more = found.length - MAX_REASONS;
  return `${parts.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
