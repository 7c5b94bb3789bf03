import type { StorySide } from './story-sides.ts';

/** What processes of this agent tell of themselves at their metrics ports. */
export function ownMetrics(urls: readonly string[]): Pick<StorySide, 'stallMs' | 'storeCalls'> {
  const values = async (name: RegExp): Promise<number[]> => {
    const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
    return texts.flatMap((text) => [...text.matchAll(name)].map(([, value]) => Number(value)));
  };
  return {
    stallMs: async () => Math.max(...(await values(/^\S*event_loop_stall_seconds (\S+)$/gm))) * 1000,
    storeCalls: async () =>
      (await values(/^\S*store_operation_seconds_count\{\S*\} (\S+)$/gm)).reduce((a, b) => a + b, 0),
  };
}
