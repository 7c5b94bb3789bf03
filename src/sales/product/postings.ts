import type { Word } from './words.ts';

export interface IndexedText<F extends string> {
  id: string;
  fields: Readonly<Record<F, readonly Word[]>>;
}

/** Where one term occurs: documents in order, what it adds to the score of each, and in which fields (a bit each). */
export interface Postings {
  term: string;
  /** As some document writes it. */
  written: string;
  documents: Int32Array;
  strengths: Float64Array;
  masks: Uint16Array;
}

/** Saturation and length normalization of BM25. */
const K = 1.2;
const B = 0.5;

interface Draft {
  written: string;
  documents: number[];
  frequencies: number[];
  masks: number[];
}

/** The postings of every term, by term: BM25F, a term's weighted frequency over all fields of a document saturating once. */
export function buildPostings<F extends string>(
  texts: readonly IndexedText<F>[],
  weights: Readonly<Record<F, number>>,
): Map<string, Postings> {
  const fields = (Object.keys(weights) as F[]).map((field) => {
    const words = texts.reduce((sum, text) => sum + text.fields[field].length, 0);
    return { field, weight: weights[field], averageLength: Math.max(1, words / Math.max(1, texts.length)) };
  });
  const drafts = new Map<string, Draft>();
  texts.forEach((text, document) => {
    fields.forEach(({ field, weight, averageLength }, bit) => {
      const words = text.fields[field];
      const frequency = weight / (1 - B + (B * words.length) / averageLength);
      for (const word of words) note(drafts, word, document, frequency, 1 << bit);
    });
  });
  return new Map([...drafts].map(([term, draft]) => [term, finish(term, draft, texts.length)]));
}

function note(drafts: Map<string, Draft>, word: Word, document: number, frequency: number, bit: number): void {
  let draft = drafts.get(word.term);
  if (draft === undefined) {
    draft = { written: word.written, documents: [], frequencies: [], masks: [] };
    drafts.set(word.term, draft);
  }
  const last = draft.documents.length - 1;
  if (draft.documents[last] === document) {
    draft.frequencies[last] = (draft.frequencies[last] ?? 0) + frequency;
    draft.masks[last] = (draft.masks[last] ?? 0) | bit;
  } else {
    draft.documents.push(document);
    draft.frequencies.push(frequency);
    draft.masks.push(bit);
  }
}

function finish(term: string, { written, documents, frequencies, masks }: Draft, total: number): Postings {
  const rarity = Math.log(1 + (total - documents.length + 0.5) / (documents.length + 0.5));
  return {
    term,
    written,
    documents: Int32Array.from(documents),
    strengths: Float64Array.from(frequencies, (frequency) => (rarity * frequency * (K + 1)) / (frequency + K)),
    masks: Uint16Array.from(masks),
  };
}
