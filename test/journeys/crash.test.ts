import { afterAll, expect } from 'vitest';
import { deathOf, faultText, MOMENTS } from '../support/fault-point.ts';
import type { FaultPoint, Moment } from '../support/fault-point.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { bundle } from '../support/bundle.ts';
import { launch } from './support/child.ts';
import { beginStory, expectTheWholeStory, isAtRest, TIMEOUT_MS } from './support/story.ts';
import type { Story } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { itOnStores } from '../support/stores.ts';

const WORKER = 'test/journeys/support/crashing-worker.ts';

type FaultKind = FaultPoint extends infer P ? (P extends { n: number } ? Omit<P, 'n'> : never) : never;

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
}, 300_000);

itOnStores(
  '[W1] [W20] [T1] on %s, nothing is lost and nothing happens twice when the worker is killed before, during or after any write, or before or after any request, of the story',
  async (store) => {
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());
    const program = await bundle(WORKER);
    const ends: Promise<void>[] = [];

    /** Lets a story come to its end, and its agent go then: many that only look for work are much work. */
    async function end(agent: TestAgent, story: Story): Promise<void> {
      agent.work();
      await until(() => isAtRest(story), TIMEOUT_MS);
      await expectTheWholeStory(story);
      await agent.stop();
    }

    /** Kills at a point, and lets the story come to its end after. Answers the collection it was writing to; undefined when the story needed no such point. */
    async function killAt(point: FaultPoint): Promise<string | undefined> {
      const agent = await startTestAgent(store, { working: false });
      cleanUp.push(() => agent.stop());
      const story = await beginStory(agent, receiver);
      const worker = launch(program, { ...agent.env, CRASH_AT: faultText(point) });
      await Promise.race([worker.ended, until(() => isAtRest(story), TIMEOUT_MS)]);
      await worker.kill('SIGKILL');
      // Whoever did not reach its point lived to the end of the story: nothing else ended it.
      const death = deathOf(worker.output);
      if (death === undefined) expect(await isAtRest(story)).toBe(true);
      const ending = end(agent, story);
      ending.catch(() => undefined);
      ends.push(ending);
      return death?.collection;
    }

    /** Kills at the first such point, then at the second, and so on, until the story needs no more. */
    async function killAtEach(kind: FaultKind): Promise<string[]> {
      const fatal: string[] = [];
      for (let n = 1; ; n++) {
        const collection = await killAt({ ...kind, n });
        if (collection === undefined) return fatal;
        fatal.push(collection);
      }
    }

    /** In these a death must have been, though which write is the n-th is another each time: those of several at once have no order. */
    async function killAtWrites(moment: Moment): Promise<void> {
      const fatal = await killAtEach({ what: 'write', moment });
      for (const collection of ['task_runs', 'media_buys', 'deliveries']) {
        const isKilled = fatal.includes(collection);
        expect(isKilled ? collection : await killAt({ what: 'write', moment, n: 1, collection })).toBe(collection);
      }
    }

    const sends = (['before', 'after'] as const).map((moment) => killAtEach({ what: 'send', moment }));
    const writes = MOMENTS.map(killAtWrites);
    for (const fatal of await Promise.all(sends)) expect([...new Set(fatal)]).toEqual(['']);
    await Promise.all(writes);
    await Promise.all(ends);
  },
  1_200_000,
);
