import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../journeys/support/buyer.ts';
import { startChild } from '../journeys/support/child.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { expectProved } from './support/arrivals.ts';
import { everyBuy } from './support/calls.ts';
import {
  decideWhatWaits,
  expectLegalMoves,
  expectNewsTold,
  expectNothingAgain,
  expectOwedArrives,
  expectTurnsTaken,
} from './support/finish.ts';
import { startOldAgent } from './support/old-agent.ts';
import { canListenAt } from './support/old-receivers.ts';
import { readPromises } from './support/promises.ts';
import {
  expectAllRead,
  expectCredentialsHold,
  expectNothingSetAside,
  expectOperatorReads,
  expectRevisionsKept,
  expectSealedAnew,
} from './support/reads.ts';
import { machineTurn } from './support/machine-turn.ts';
import { restore } from './support/restore.ts';
import { describeOnStores } from '../support/stores.ts';

const RELEASE = '0.1.0';
const HOST = '127.83.11.9';
/** Elsewhere than on Linux, a person has to make the address first: see the fixture's README. */
const isHere = await canListenAt(HOST);

/** With the wait for other runs of these tests on this machine. */
const FOR_ALL_MS = 40 * 60_000;

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

describeOnStores(`what release ${RELEASE} left on %s`, (store) => {
  describe.skipIf(!isHere)('is finished by this one', () => {
    it.each([
      ['its Redis', true],
      ['an empty Redis', false],
    ])(
      'with %s: old keys and bytes, nothing twice, nothing lost',
      async (_redis, withRedis) => {
        const agent = await startOldAgent(RELEASE, { store, withRedis });
        cleanUp.push(() => agent.stop());
        await expectNothingSetAside(agent);
        await expectSealedAnew(agent);
        await expectAllRead(agent);
        await expectRevisionsKept(agent);
        await expectOperatorReads(agent);
        await expectCredentialsHold(agent);
        agent.work();
        await decideWhatWaits(agent);
        await expectTurnsTaken(agent);
        await expectOwedArrives(agent, withRedis);
        await expectNewsTold(agent);
        await expectLegalMoves(agent);
        expectNothingAgain(agent);
        for (const arrival of agent.received) await expectProved(arrival, agent.promises);
      },
      FOR_ALL_MS,
    );

    it(
      'after npm start, which comes up and answers, whatever year it is',
      async () => {
        const promises = readPromises(RELEASE, store);
        cleanUp.push(await machineTurn());
        const data = await restore(RELEASE, promises, true);
        cleanUp.push(() => data.remove());
        const child = await startChild('scripts/run.mjs', data.env, ['start', '--json']);
        cleanUp.push(() => child.kill('SIGTERM'));
        const agent = { baseUrl: String(child.ready['base_url']), apiKey: promises.api_key } as TestAgent;
        // Told by the start that makes it: the former one lay in the embedded store beside what sealed it.
        const isNew = store !== 'mongodb';
        const told = child.ready['operator_key'];
        expect(told).toEqual(isNew ? expect.stringMatching(/^op_live_/) : undefined);
        expect(told).not.toBe(promises.operator_key);
        const running = JSON.parse(
          await readFile(join(String(data.env['DATA_DIR']), 'running.json'), 'utf8'),
        ) as unknown;
        expect(running).toMatchObject({ operator_key: isNew ? told : promises.operator_key });
        const ids = (await everyBuy(agent)).map((one) => one['media_buy_id']);
        expect(ids).toContain(promises.completed.media_buy_id);
        expect(await ask(agent, 'list_tasks', {})).toHaveProperty('tasks');
        expect((await fetch(`${agent.baseUrl}/api/registry/feed`)).status).toBe(200);
      },
      FOR_ALL_MS,
    );
  });
});
