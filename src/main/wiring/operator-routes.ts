import type { Router } from 'express';
import { examinerOf } from '../health/findings.ts';
import { setupSteps } from '../health/setup-steps.ts';
import { productVersion } from './product-version.ts';
import { loadOrCreateOperatorKey } from '../../admin/operator/operator-key.ts';
import type { OperatorDeps } from '../../admin/operator/operation.ts';
import { operations } from '../../admin/operator/operations.ts';
import { operatorRouter } from '../../admin/operator/router.ts';
import { createGrantDesk } from '../../oauth/grant/grant-desk.ts';
import { keptAnswer } from '../../platform/kept-answer.ts';
import type { Core } from './compose.ts';
import { reseal } from './reseal.ts';

/** How long a process goes on with the operator's key that it knows, in milliseconds: the key may be ended meanwhile. */
const KEY_KNOWN_MS = 30_000;

/** The operator API on what this process is made of. */
export function operatorRoutes(core: Core, deps: OperatorDeps): Router {
  return operatorRouter({
    ...deps,
    budgets: core.budgets,
    security: core.security,
    operatorKey: keptAnswer(core.clock, KEY_KNOWN_MS, () => operatorKey(core)),
  });
}

/** What runs, by name. */
async function versionsOf({ queues, store }: Core): Promise<Record<string, string>> {
  const { version: redis = 'unknown' } = await queues.facts();
  return { 'media-buy-agent': await productVersion(), node: process.versions.node, redis, store: store.kind };
}

/** What the operations of an operator work with, in this process. */
export function operatorDeps(core: Core): OperatorDeps {
  const { store, clock, ids, log, security, approvals, catalog, ranker, webhooks, baseUrl } = core;
  const { budgets, changeSignal, runtime, blockList } = core;
  const { orders } = core.sales;
  const { pauses: queues } = core.queues;
  const sales = { ...core.sales, catalog };
  return {
    ...{ store, clock, ids, log, security, desk: approvals, sales, orders, queues, webhooks, baseUrl },
    ...{ budgets, changeSignal, blockList, catalog, ranker, runtime, counters: core.metrics },
    operationFor: (name) => operations.find(({ action }) => action === name),
    viewAt: (path) => operations.find((one) => one.method === 'get' && one.path === path && one.params !== undefined),
    grants: createGrantDesk({ store, clock, security }),
    resealStore: (wish) => reseal(core, wish),
    onlySignInAt: onlySignInAt(core),
    traceUrl: core.config.traceUrl,
    freshSignInMs: core.config.freshSignInMs,
    installation: {
      examine: examinerOf(core),
      setup: () => setupSteps(core),
      settings: core.config.shown,
      versions: () => versionsOf(core),
    },
  };
}

function onlySignInAt({ config: { hasSignInLinks, operatorOidc } }: Core): string | undefined {
  return hasSignInLinks || operatorOidc === undefined ? undefined : new URL(operatorOidc.issuer).host;
}

/** The key that all operators may share: `OPERATOR_API_KEY`, or the one that the installation made. */
export function operatorKey({ config, store, clock, sealer }: Core): Promise<string> {
  if (config.operatorApiKey !== undefined) return Promise.resolve(config.operatorApiKey);
  return loadOrCreateOperatorKey({ store, clock, sealer });
}
