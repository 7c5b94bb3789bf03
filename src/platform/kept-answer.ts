import type { Clock } from './clock.ts';

/**
 * Asks once for all who want to know within a while: whoever comes while an answer is on its way gets that one, and whoever comes within
 * `keptMs` of when it was asked the same again. A question that fails is asked anew.
 */
export function keptAnswer<T>(clock: Pick<Clock, 'now'>, keptMs: number, ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  let kept: { answer: T; atMs: number } | undefined;
  async function asked(atMs: number): Promise<T> {
    try {
      const answer = await ask();
      kept = { answer, atMs };
      return answer;
    } finally {
      underWay = undefined;
    }
  }
  return () => {
    const ageMs = kept === undefined ? undefined : clock.now() - kept.atMs;
    // Less than no age is that of a clock that was set back.
    if (kept !== undefined && ageMs !== undefined && ageMs >= 0 && ageMs < keptMs) return Promise.resolve(kept.answer);
    underWay ??= asked(clock.now());
    return underWay;
  };
}
