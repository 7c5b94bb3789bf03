/** Does work for its caller, not more than so many at once; the others wait for their turn, first come first served. */
export type AtMost = <T>(work: () => Promise<T>) => Promise<T>;

export function atMost(places: number): AtMost {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (underWay >= places) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay--;
      else next();
    }
  };
}
