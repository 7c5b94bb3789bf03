import { writtenStories } from '../test/journeys/support/stories.ts';

/** How many writes to the store each thing that happens to a buy takes, and which; `test/journeys/writes.test.ts` holds them to it. */
export async function benchWrites(): Promise<void> {
  for (const { story, writes } of await writtenStories()) {
    const all = Object.values(writes).reduce((sum, times) => sum + times, 0);
    const each = Object.entries(writes).map(([name, times]) => (times === 1 ? name : `${times} ${name}`));
    console.log(`${story.padEnd(42)} ${String(all).padStart(3)} writes   ${each.join(', ')}`);
  }
}
