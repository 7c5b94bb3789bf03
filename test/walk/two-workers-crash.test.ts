import express from 'express';
import { expect, onTestFinished } from 'vitest';
import { createAdServerRouter } from '../../src/adservers/http/bridge-router.ts';
import { serveApp, silent, TOKEN } from '../adservers/http/support/bridge.ts';
import { bundle } from '../support/bundle.ts';
import { launch } from '../journeys/support/child.ts';
import { seededChance } from '../support/chance.ts';
import { itOnStores } from '../support/stores.ts';
import { openTogether } from './support/open-together.ts';
import { walkTogether } from './support/walk-together.ts';

/** After so many steps one of the workers is killed, and another started. */
const KILL_EVERY = 100;

itOnStores(
  '[I1] [I2] [I3] [I4] [I5] [I6] [I9] hold on %s over a walk of a thousand steps with two workers, one of which is killed again and again: versions at the ad server strictly grow, and none is given twice',
  async (store) => {
    const steps = Number(process.env['WALK_STEPS'] ?? 1000);
    const chance = seededChance(`two workers on ${store}`);
    const seed = process.env['WALK_SEED'] ?? String(chance.between(0, 2 ** 32));
    const at = await openTogether(store, 0, async ({ adServer }) => {
      const url = await serveApp(express().use(createAdServerRouter(adServer, { token: TOKEN, log: silent })));
      return { AD_SERVER: 'http', AD_SERVER_URL: url, AD_SERVER_TOKEN: TOKEN };
    });
    onTestFinished(() => at.close());
    const program = await bundle('src/main/worker.ts');
    const start = () => launch(program, at.env);
    const workers = [start(), start()];
    onTestFinished(async () => {
      for (const worker of workers) await worker.kill('SIGKILL');
    });
    const { ledger } = await walkTogether({
      ...{ core: at.core, adServer: at.adServer, seed, steps },
      async beforeStep(n) {
        if (n % KILL_EVERY !== 0) return;
        const which = chance.between(0, 1);
        await workers[which]?.kill('SIGKILL');
        workers[which] = start();
      },
    });
    expect(ledger.tasks.all().length).toBeGreaterThan(steps / 10);
  },
  2_400_000,
);
