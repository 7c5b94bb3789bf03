import { isObject } from './json-object.ts';

/**
 * Sorts what concerns places of a request into the order of the request as it was sent: what an object lacks first, then what
 * stands in it. What concerns one place stays in the order it has.
 */
export function inRequestOrder<T extends { path: readonly PropertyKey[] }>(items: readonly T[], request: unknown): T[] {
  const ranksOf = rankReader(request);
  return items
    .map((item) => ({ item, ranks: ranksOf(item.path) }))
    .sort((a, b) => compared(a.ranks, b.ranks))
    .map(({ item }) => item);
}

function rankReader(request: unknown): (path: readonly PropertyKey[]) => number[] {
  const keyRanks = new WeakMap<object, Map<string, number>>();
  const rankIn = (value: Readonly<Record<string, unknown>>, key: string) => {
    const known = keyRanks.get(value) ?? new Map(Object.keys(value).map((name, i) => [name, i]));
    keyRanks.set(value, known);
    return known.get(key) ?? ABSENT;
  };
  return (path) => {
    let value = request;
    return path.map((step) => {
      if (Array.isArray(value)) {
        value = (value as unknown[])[Number(step)];
        return Number(step);
      }
      if (!isObject(value)) return ABSENT;
      const rank = rankIn(value, String(step));
      value = rank === ABSENT ? undefined : value[String(step)];
      return rank;
    });
  };
}

const ABSENT = -1;

function compared(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((rank, i) => rank !== b[i]);
  if (at < 0) return a.length - b.length;
  return (a[at] ?? 0) - (b[at] ?? ABSENT - 1);
}
