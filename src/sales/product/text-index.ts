import SearchableMap from 'minisearch/SearchableMap';
import { buildPostings } from './postings.ts';
import type { IndexedText, Postings } from './postings.ts';
import type { Word } from './words.ts';

/** One word of the query in one document: where it stands, and what it was read as when the index does not know it. */
export interface WordFound<F extends string> {
  word: Word;
  readAs?: string;
  fields: F[];
}

/** A document that shares words with the query. */
export interface TextMatch<F extends string> {
  id: string;
  score: number;
  /** In the query's order. */
  found: WordFound<F>[];
  /** The same of the hints. */
  hinted: WordFound<F>[];
}

export interface TextIndex<F extends string> {
  /**
   * The documents that `isWanted`, best first, ties by id. At most 255 words, each once. `hints` are words that raise what
   * the others found, at a quarter of their weight, and find nothing by themselves.
   */
  search(
    words: readonly Word[],
    isWanted: (id: string) => boolean,
    limit: number,
    hints?: readonly Word[],
  ): TextMatch<F>[];
}

const HINT = 0.25;

/** What a word counts that is only near one the index knows; and how many such it may be read as. */
const NEAR = 0.4;
const MAX_NEAR = 5;

/** What a word of the query means to the index: its own postings, or, nearest first, those of words like it. */
interface Reading {
  word: Word;
  postings: readonly Postings[];
  /** 1 for the word itself. */
  weight: number;
}

/**
 * A full-text index: BM25F over weighted fields (at most 16), times the number of the query's words found. A word that
 * the index does not know is read as known words that begin with it, or else are spelled nearly so. It answers in
 * milliseconds for ten thousand documents (`docs/decisions/0008-product-ranking.md`).
 */
export function createTextIndex<F extends string>(
  texts: readonly IndexedText<F>[],
  weights: Readonly<Record<F, number>>,
): TextIndex<F> {
  const fields = Object.keys(weights) as F[];
  const ids = texts.map(({ id }) => id);
  const vocabulary = new SearchableMap<Postings>();
  for (const [term, postings] of buildPostings(texts, weights)) vocabulary.set(term, postings);

  return {
    search(words, isWanted, limit, hints = []) {
      const read = (all: readonly Word[]) =>
        all.map((word) => readingOf(word, vocabulary)).filter(({ postings }) => postings.length > 0);
      const readings = read(words);
      const scores = scoresOf(readings, ids.length);
      const hintReadings = read(hints);
      const raised = scoresOf(hintReadings, ids.length);
      const documents: number[] = [];
      for (const [document, id] of ids.entries()) {
        const score = scores[document] ?? 0;
        if (score === 0 || !isWanted(id)) continue;
        scores[document] = score + HINT * (raised[document] ?? 0);
        documents.push(document);
      }
      const idOf = (document: number) => ids[document] ?? '';
      return strongest(documents, scores, limit)
        .map((document) => ({ document, id: idOf(document), score: scores[document] ?? 0 }))
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ document, id, score }) => ({
          ...{ id, score },
          found: readings.flatMap((r) => foundIn(r, document, fields)),
          hinted: hintReadings.flatMap((r) => foundIn(r, document, fields)),
        }));
    },
  };
}

/** Those that may be among the best: sorting thousands of bare numbers costs a fraction of sorting what they stand for. */
function strongest(documents: number[], scores: Float64Array, limit: number): number[] {
  if (documents.length <= limit) return documents;
  const least = Float64Array.from(documents, (document) => scores[document] ?? 0).sort()[documents.length - limit] ?? 0;
  return documents.filter((document) => (scores[document] ?? 0) >= least);
}

function readingOf(word: Word, vocabulary: SearchableMap<Postings>): Reading {
  const own = vocabulary.get(word.term);
  if (own !== undefined) return { word, postings: [own], weight: 1 };
  if (word.term.length < 4) return { word, postings: [], weight: 0 };
  const longer = [...vocabulary.atPrefix(word.term)].map(([term, postings]) => ({ term, postings, distance: 0 }));
  const near = longer.length > 0 ? longer : spelledLike(word.term, vocabulary);
  near.sort((a, b) => a.distance - b.distance || a.term.length - b.term.length || (a.term < b.term ? -1 : 1));
  return { word, postings: near.slice(0, MAX_NEAR).map(({ postings }) => postings), weight: NEAR };
}

function spelledLike(term: string, vocabulary: SearchableMap<Postings>) {
  const found = vocabulary.fuzzyGet(term, term.length < 7 ? 1 : 2);
  return [...found].map(([like, [postings, distance]]) => ({ term: like, postings, distance }));
}

/** The score of every document. Of the words one is read as, only the nearest in a document counts. */
function scoresOf(readings: readonly Reading[], documents: number): Float64Array {
  const scores = new Float64Array(documents);
  const hits = new Uint8Array(documents);
  const lastHit = new Uint8Array(documents);
  readings.forEach(({ postings, weight }, i) => {
    for (const { documents: where, strengths } of postings) {
      for (let n = 0; n < where.length; n++) {
        const document = where[n] ?? 0;
        if (lastHit[document] === i + 1) continue;
        lastHit[document] = i + 1;
        hits[document] = (hits[document] ?? 0) + 1;
        scores[document] = (scores[document] ?? 0) + weight * (strengths[n] ?? 0);
      }
    }
  });
  return scores.map((score, document) => score * (hits[document] ?? 0));
}

function foundIn<F extends string>(
  { word, postings }: Reading,
  document: number,
  fields: readonly F[],
): WordFound<F>[] {
  for (const { documents, masks, term, written } of postings) {
    const at = placeOf(document, documents);
    if (at < 0) continue;
    const where = fields.filter((_, bit) => ((masks[at] ?? 0) & (1 << bit)) !== 0);
    return [{ word, fields: where, ...(term !== word.term && { readAs: written }) }];
  }
  return [];
}

/** Binary search; -1 when it is not there. */
function placeOf(document: number, documents: Int32Array): number {
  let low = 0;
  let high = documents.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const there = documents[middle] ?? 0;
    if (there === document) return middle;
    if (there < document) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
