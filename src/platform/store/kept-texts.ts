import { isWithin } from '../time-span.ts';
import type { TimeSpan } from '../time-span.ts';

/** An answer, and from when until when it is that, while no row that was read for it is written. */
export interface MadeAnswer {
  text: string;
  within: TimeSpan;
}

/** One that is kept. */
export interface Kept extends MadeAnswer {
  name: string;
  /** What it was made of. */
  rows: ReadonlySet<string>;
  /** Its bytes, once they have been asked for. */
  json?: Buffer;
  /** What it takes to keep it. */
  bytes: number;
}

export interface KeptTexts {
  keep(name: string, rows: ReadonlySet<string>, made: MadeAnswer): void;
  /** The kept one of a time, which has been used; to be asked for as soon as it is known what is over. */
  use(name: string, nowMs: number): Kept | undefined;
  /** The same bytes each time, which are counted, too: one that is asked for once is not held twice. */
  jsonOf(one: Kept): Buffer;
  /** Ends what was made of these rows; undefined: all. */
  end(rows: readonly string[] | undefined): void;
}

/** All of them, with what it takes to know when they end. */
const MOST_BYTES = 32_000_000;
/** Of one name of rows, with its places in the tables here. */
const BYTES_OF_ROW = 400;

/** Answers by name and by what they were made of; the least recently used go first. */
export function keptTexts(mostBytes = MOST_BYTES): KeptTexts {
  const kept = new Map<string, Kept>();
  const keptByRow = new Map<string, Set<Kept>>();
  let bytes = 0;

  function drop(one: Kept): void {
    for (const row of one.rows) {
      const list = keptByRow.get(row);
      list?.delete(one);
      if (list?.size === 0) keptByRow.delete(row);
    }
    kept.delete(one.name);
    bytes -= one.bytes;
  }

  function dropOldest(): void {
    for (const oldest of kept.values()) {
      if (bytes <= mostBytes) return;
      drop(oldest);
    }
  }

  return {
    keep(name, rows, made) {
      const size = 2 * (name.length + made.text.length) + BYTES_OF_ROW * rows.size;
      if (size > mostBytes / 8) return;
      const present = kept.get(name);
      if (present !== undefined) drop(present);
      const one: Kept = { ...made, name, rows, bytes: size };
      kept.set(name, one);
      bytes += size;
      for (const row of rows) {
        const list = keptByRow.get(row);
        if (list === undefined) keptByRow.set(row, new Set([one]));
        else list.add(one);
      }
      dropOldest();
    },

    use(name, nowMs) {
      const found = kept.get(name);
      if (found === undefined || !isWithin(found.within, nowMs)) return undefined;
      kept.delete(name);
      kept.set(name, found);
      return found;
    },

    jsonOf(one) {
      if (one.json !== undefined) return one.json;
      one.json = unpooled(one.text);
      one.bytes += one.json.length;
      bytes += one.json.length;
      dropOldest();
      return one.json;
    },

    end(rows) {
      const ended = rows === undefined ? kept.values() : rows.flatMap((row) => [...(keptByRow.get(row) ?? [])]);
      for (const one of [...ended]) drop(one);
    },
  };
}

/** Its bytes by themselves: a slice of what others share would keep all of that. */
function unpooled(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
