import { isWithin } from '../time-span.ts';
import type { Store } from './collection.ts';
import { keptTexts } from './kept-texts.ts';
import type { MadeAnswer } from './kept-texts.ts';
import { notingStore } from './noting-store.ts';
import { valueNamed } from './told-changes.ts';

/** One of several that are made at once. */
export interface MadeOfSeveral extends MadeAnswer {
  name: string;
  /** The values by which its own rows are asked for. Rows that were read by a value of another alone are nothing to it. */
  of: readonly string[];
}

/** Makes those of these names that there is an answer to, in any order. */
export type MakeSeveral = (store: Store, names: readonly string[]) => AsyncIterable<MadeOfSeveral>;

/**
 * A part that answers of several names have in common: kept under a name of its own, by the same rules, so that it need not be made for
 * each. What it was made of, the answer is made of, too; and the answer holds no longer than it.
 */
export type PartOf = (name: string, make: (store: Store) => Promise<MadeAnswer>) => Promise<MadeAnswer>;

export interface KeptAnswers {
  /**
   * The answer under a name at a time: a kept one while it is certain that `make` would answer the same, else what `make` answers. A name
   * stands for all that `make` depends on besides the time and what it reads, which it does by the store that it is handed. Of a kept one it
   * is the same buffer each time; not to be written to.
   */
  answer(name: string, nowMs: number, make: (store: Store, part: PartOf) => Promise<MadeAnswer>): Promise<Buffer>;
  /** The same of several names: those that are kept at once, and then what `make` answers for the others. Made are kept once it has ended. */
  several(
    names: readonly string[],
    nowMs: number,
    make: MakeSeveral,
  ): AsyncIterable<Pick<MadeOfSeveral, 'name' | 'text'>>;
}

/** One that is being made. */
interface Making {
  /** What it has been made of so far. */
  rows: Set<string>;
  /** Something of that was written meanwhile, or it cannot be told whether. */
  isSpoilt: boolean;
}

/**
 * Answers kept by this process for as long as the store tells that nothing they were made of has been written; the least recently used go
 * first. On a store that does not tell, none is. See docs/decisions/0096-an-answer-that-is-kept.md.
 */
export function keptAnswers(store: Store, mostBytes?: number): KeptAnswers {
  const kept = keptTexts(mostBytes);
  const making = new Set<Making>();
  let mark: number | undefined;

  /** Ends what was made of rows that have been written, or all where that is not known. */
  function end(touched: readonly string[] | undefined): void {
    kept.end(touched);
    for (const one of making)
      if (touched === undefined || touched.some((row) => one.rows.has(row))) one.isSpoilt = true;
  }

  /** Ends what is over as of some time after this call. Answers whether the store tells. */
  async function catchUp(): Promise<boolean> {
    const from = mark;
    const told = await store.changesSince(from);
    // Who asks without a mark, beside others, is not told what came before the answer.
    end(from === undefined ? undefined : told?.touched);
    // Of two at once the one that has seen less comes second at times.
    mark = told && Math.max(mark ?? 0, told.mark);
    return told !== undefined;
  }

  /** A store that notes what is read by it, for as long as `make` takes; of a part as what the whole is made of, too. */
  function beginMaking(whole?: Making): { one: Making; noted: Store } {
    const one: Making = { rows: new Set(), isSpoilt: false };
    making.add(one);
    const noted = notingStore(store, (rows) => {
      for (const each of whole === undefined ? [one] : [one, whole]) addRows(each, rows);
    });
    return { one, noted };
  }

  async function makeAndKeep(
    name: string,
    nowMs: number,
    make: Parameters<KeptAnswers['answer']>[2],
    whole?: Making,
  ): Promise<MadeAnswer> {
    const { one, noted } = beginMaking(whole);
    try {
      const made = await make(noted, partOf(one, nowMs));
      if (!one.isSpoilt && isWithin(made.within, nowMs)) kept.keep(name, one.rows, made);
      return made;
    } finally {
      making.delete(one);
    }
  }

  /** Parts of one that is being made. What is told of a kept part's rows from now on is told of the whole. */
  function partOf(whole: Making, nowMs: number): PartOf {
    return async (name, make) => {
      const found = kept.use(name, nowMs);
      if (found === undefined) return makeAndKeep(name, nowMs, make, whole);
      addRows(whole, found.rows);
      return found;
    };
  }

  async function* makeSeveral(names: readonly string[], nowMs: number, make: MakeSeveral) {
    const { one, noted } = beginMaking();
    try {
      const all: MadeOfSeveral[] = [];
      for await (const made of make(noted, names)) {
        all.push(made);
        yield made;
      }
      if (one.isSpoilt) return;
      const rowsOf = sharedOut(one.rows, all);
      for (const made of all) if (isWithin(made.within, nowMs)) kept.keep(made.name, rowsOf(made), made);
    } finally {
      making.delete(one);
    }
  }

  return {
    async answer(name, nowMs, make) {
      if (!(await catchUp())) return Buffer.from((await make(store, (_part, makePart) => makePart(store))).text);
      const found = kept.use(name, nowMs);
      return found === undefined ? Buffer.from((await makeAndKeep(name, nowMs, make)).text) : kept.jsonOf(found);
    },

    async *several(names, nowMs, make) {
      if (!(await catchUp())) {
        yield* make(store, names);
        return;
      }
      const found = names.map((name) => ({ name, text: kept.use(name, nowMs)?.text }));
      const missing = found.filter(({ text }) => text === undefined).map(({ name }) => name);
      for (const { name, text } of found) if (text !== undefined) yield { name, text };
      if (missing.length > 0) yield* makeSeveral(missing, nowMs, make);
    },
  };
}

/** Without rows anything that is written may change it. */
function addRows(to: Making, rows: Iterable<string> | undefined): void {
  if (rows === undefined) to.isSpoilt = true;
  else for (const row of rows) to.rows.add(row);
}

/** Of rows that were read for several: those by a value of its own, and those by a value of nobody's. */
function sharedOut(rows: ReadonlySet<string>, all: readonly MadeOfSeveral[]) {
  const byValue = new Map<string, string[]>(all.flatMap(({ of }) => of.map((value) => [value, []])));
  const ofAll: string[] = [];
  for (const row of rows) (byValue.get(valueNamed(row)) ?? ofAll).push(row);
  return ({ of }: MadeOfSeveral) => new Set([...ofAll, ...of.flatMap((value) => byValue.get(value) ?? [])]);
}
