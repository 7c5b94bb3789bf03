import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of one tick of the kernel's clock, as /proc counts (100 a second on all that Node runs on). */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

interface Entry {
  pid: number;
  parent: number;
  cpuMs: number;
  rssBytes: number;
}

/** What processes have used, with all they started; undefined where there is no /proc. */
export function usageOf(roots: readonly number[]): { cpuMs: number; rssBytes: number } | undefined {
  const entries = readEntries();
  if (entries.length === 0) return undefined;
  const wanted = new Set(roots);
  // Parents stand before their children only mostly, so look until nothing comes.
  for (let before = -1; before !== wanted.size;) {
    before = wanted.size;
    for (const { pid, parent } of entries) if (wanted.has(parent)) wanted.add(pid);
  }
  const own = entries.filter(({ pid }) => wanted.has(pid));
  const sum = (field: 'cpuMs' | 'rssBytes') => own.reduce((total, entry) => total + entry[field], 0);
  return { cpuMs: sum('cpuMs'), rssBytes: sum('rssBytes') };
}

function readEntries(): Entry[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readEntry(Number(name)) : []));
  } catch {
    return [];
  }
}

function readEntry(pid: number): Entry[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in brackets and may hold anything; what follows it is numbers.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const at = (n: number) => fields[n - 3] ?? 0; // as proc(5) counts them, from 1; the third comes after the name
    // With what its children used that have ended.
    const ticks = at(14) + at(15) + at(16) + at(17);
    return [{ pid, parent: at(4), cpuMs: ticks * TICK_MS, rssBytes: at(24) * PAGE_BYTES }];
  } catch {
    return []; // it has ended since
  }
}
