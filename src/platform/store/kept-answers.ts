import { isWithin } from '../time-span.ts';
import type { TimeSpan } from '../time-span.ts';
import type { Store } from './collection.ts';
import { notingStore } from './noting-store.ts';

/** An answer, and from when until when it is that, while no row that was read for it is written. */
export interface MadeAnswer {
  text: string;
  within: TimeSpan;
}

export interface KeptAnswers {
  /**
   * The answer under a name at a time: a kept one while it is certain that `make` would answer the same, else what `make` answers. A name
   * stands for all that `make` depends on besides the time and what it reads, which it does by the store that it is handed.
   */
  answer(name: string, nowMs: number, make: (store: Store) => Promise<MadeAnswer>): Promise<string>;
}

/** One that is being made, or is kept. */
interface Answer {
  /** What it was made of. */
  rows: Set<string>;
  /** Something of it was written meanwhile, or it cannot be told whether. */
  isSpoilt: boolean;
}

interface Kept extends Answer, MadeAnswer {
  name: string;
  bytes: number;
}

/** All of them, with what it takes to know when they end. */
const MOST_BYTES = 32_000_000;
/** Of one name of rows, with its places in the tables here. */
const BYTES_OF_ROW = 400;

/**
 * Answers kept by this process for as long as the store tells that nothing they were made of has been written; the least recently used go
 * first. On a store that does not tell, none is. See docs/decisions/0096-an-answer-that-is-kept.md.
 */
export function keptAnswers(store: Store, mostBytes = MOST_BYTES): KeptAnswers {
  const kept = new Map<string, Kept>();
  /** Who is to hear that rows were written: answers that are kept, and those that are being made. */
  const byRow = new Map<string, Set<Answer>>();
  const making = new Set<Answer>();
  let bytes = 0;
  let mark: number | undefined;

  function forget(answer: Answer): void {
    answer.isSpoilt = true;
    for (const row of answer.rows) {
      const list = byRow.get(row);
      list?.delete(answer);
      if (list?.size === 0) byRow.delete(row);
    }
  }

  function drop(one: Kept): void {
    forget(one);
    kept.delete(one.name);
    bytes -= one.bytes;
  }

  function spoil(answer: Answer): void {
    if (isKept(answer)) drop(answer);
    else forget(answer);
  }

  const isKept = (answer: Answer): answer is Kept => 'name' in answer;

  /** Ends what has been written to, as of some time after this call. Answers whether the store tells. */
  async function catchUp(): Promise<boolean> {
    const from = mark;
    const told = await store.changesSince(from);
    if (told?.touched === undefined || from === undefined)
      for (const answer of [...kept.values(), ...making]) spoil(answer);
    else for (const row of told.touched) for (const answer of [...(byRow.get(row) ?? [])]) spoil(answer);
    // Of two at once the one that has seen less comes second at times.
    if (told === undefined) mark = undefined;
    else mark = Math.max(mark ?? 0, told.mark);
    return told !== undefined;
  }

  function keep(answer: Answer, name: string, made: MadeAnswer): void {
    const size = 2 * (name.length + made.text.length) + BYTES_OF_ROW * answer.rows.size;
    if (size > mostBytes / 8) return;
    const present = kept.get(name);
    if (present !== undefined) drop(present);
    const one: Kept = { ...answer, ...made, name, bytes: size };
    for (const row of one.rows) listOf(row).add(one);
    kept.set(name, one);
    bytes += size;
    for (const oldest of kept.values()) {
      if (bytes <= mostBytes) return;
      drop(oldest);
    }
  }

  function listOf(row: string): Set<Answer> {
    const list = byRow.get(row) ?? new Set();
    byRow.set(row, list);
    return list;
  }

  async function makeAndKeep(name: string, nowMs: number, make: Parameters<KeptAnswers['answer']>[2]): Promise<string> {
    const answer: Answer = { rows: new Set(), isSpoilt: false };
    making.add(answer);
    const note = (rows: readonly string[] | undefined) => {
      if (rows === undefined) answer.isSpoilt = true;
      for (const row of answer.isSpoilt ? [] : (rows ?? [])) {
        answer.rows.add(row);
        listOf(row).add(answer);
      }
    };
    try {
      const made = await make(notingStore(store, note));
      if (!answer.isSpoilt && isWithin(made.within, nowMs)) keep(answer, name, made);
      return made.text;
    } finally {
      making.delete(answer);
      forget(answer);
    }
  }

  return {
    async answer(name, nowMs, make) {
      if (!(await catchUp())) return (await make(store)).text;
      const found = kept.get(name);
      if (found === undefined || !isWithin(found.within, nowMs)) return makeAndKeep(name, nowMs, make);
      kept.delete(name);
      kept.set(name, found);
      return found.text;
    },
  };
}
