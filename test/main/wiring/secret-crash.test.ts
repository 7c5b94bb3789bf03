import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installationSecret } from '../../../src/main/wiring/installation-secret.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { leftSecret } from '../../../src/platform/crypto/secret.ts';
import { silent } from '../../directory/support/installation.ts';
import { bundle } from '../../support/bundle.ts';
import { launch } from '../../journeys/support/child.ts';
import { dropStoreAt, freshDatabase } from '../../support/mongo-databases.ts';
import { faultText, writesOf } from '../../support/fault-point.ts';
import { onMongodb } from '../../support/mongo-settings.ts';
import { itOnStores } from '../../support/stores.ts';
import { filesWith, LEFT, leaveAsOld, placeOf, whatOpens } from './support/left-secret.ts';
import type { Place } from './support/left-secret.ts';

const MOVER = 'test/main/support/secret-mover.ts';
const STEPS = ['written', 'named', 'retired', 'forgotten', 'log emptied', 'sealed anew'];

/** Moves the secret in a process of its own, which may be killed on the way; answers what it said. */
async function move(env: Record<string, string>): Promise<{ stdout: string; ended: number | string }> {
  const child = launch(await bundle(MOVER), env);
  const ended = await child.ended;
  return { ...child.output, ended };
}

async function expectAllOpens(place: Place, isMoved: boolean): Promise<void> {
  const store = await place.open();
  const { sealer } = await installationSecret({ config: place.config, store, clock: systemClock, log: silent });
  const found = await whatOpens(store, sealer);
  const isRetired = isMoved || place.config.mongodbUrl === undefined;
  expect([found.opens, isRetired ? found.retired : 4]).toEqual([true, 4]);
  if (isMoved) {
    expect(found.keyIds).toEqual(new Set([sealer.keyId]));
    expect(await leftSecret(store)).toBeUndefined();
  }
  await store.close();
}

it('[S4] a start killed between any two steps of moving the secret leaves one that works and loses nothing', async () => {
  const seen = new Set<string>();
  for (const step of STEPS) {
    const dir = await mkdtemp(join(tmpdir(), 'mba-secret-crash-'));
    const place = placeOf({ DATA_DIR: dir });
    await leaveAsOld(place);
    const killed = await move({ DATA_DIR: dir, DIE_AFTER: step });
    expect([step, killed.ended]).toEqual([step, 'SIGKILL']);
    for (const line of killed.stdout.split('\n')) seen.add(line);
    await expectAllOpens(place, true);
    expect(await filesWith(dir, LEFT)).toEqual(['secret']);
    await rm(dir, { recursive: true });
  }
  expect(STEPS.filter((step) => !seen.has(`step ${step}`))).toEqual([]);
});

itOnStores(
  '[S4] killed at any write of it on %s, likewise',
  async (kind) => {
    for (let n = 1, writes = n; n <= writes; n++) {
      // Before a write is after the one before it.
      for (const moment of ['during', 'after'] as const) {
        const dir = await mkdtemp(join(tmpdir(), 'mba-secret-crash-'));
        const url = kind === 'mongodb' ? freshDatabase() : undefined;
        const env = { DATA_DIR: dir, ...onMongodb(url) };
        await leaveAsOld(placeOf(env));
        if (n === 1) writes = Math.max(writes, await countWrites(dir, kind));
        const killed = await move({ ...env, CRASH_AT: faultText({ what: 'write', moment, n }) });
        expect([n, moment, killed.ended]).toEqual([n, moment, 'SIGKILL']);
        await expectAllOpens(placeOf(env), false);
        expect(await move(env)).toMatchObject({ ended: 0 });
        await expectAllOpens(placeOf(env), true);
        if (url !== undefined) await dropStoreAt(url);
        await rm(dir, { recursive: true });
      }
    }
  },
  1_200_000,
);

/** How many writes it takes where nobody is killed. */
async function countWrites(dir: string, kind: 'sqlite' | 'mongodb'): Promise<number> {
  const url = kind === 'mongodb' ? freshDatabase() : undefined;
  const env = { DATA_DIR: `${dir}-whole`, ...onMongodb(url) };
  await leaveAsOld(placeOf(env));
  const whole = await move(env);
  expect(whole.stdout).toContain('lives');
  if (url !== undefined) await dropStoreAt(url);
  await rm(env.DATA_DIR, { recursive: true, force: true });
  return writesOf(whole).length;
}
