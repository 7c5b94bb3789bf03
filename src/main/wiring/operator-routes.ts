import type { Router } from 'express';
import { loadOrCreateOperatorKey } from '../../admin/operator/operator-key.ts';
import type { OperatorDeps } from '../../admin/operator/operation.ts';
import { operatorRouter } from '../../admin/operator/router.ts';
import { createGrantDesk } from '../../oauth/grant/grant-desk.ts';
import type { Core } from './compose.ts';
import { moveLeftSecret } from './move-out-secret.ts';
import { resealAndForget } from './reseal-and-forget.ts';

/** The operator API on what this process is made of. */
export function operatorRoutes(core: Core): Router {
  let key: Promise<string> | undefined;
  return operatorRouter({
    ...operatorDeps(core),
    budgets: core.budgets,
    security: core.security,
    operatorKey: () =>
      (key ??= operatorKey(core).catch((error: unknown) => {
        key = undefined;
        throw error;
      })),
  });
}

/** What the operations of an operator work with, in this process. */
export function operatorDeps(core: Core): OperatorDeps {
  const { store, clock, ids, log, security, approvals, catalog, webhooks, baseUrl } = core;
  const { orders } = core.sales;
  const { pauses: queues } = core.queues;
  const sales = { ...core.sales, catalog };
  return {
    ...{ store, clock, ids, log, security, desk: approvals, sales, orders, queues, webhooks, baseUrl },
    grants: createGrantDesk({ store, clock, security }),
    moveOutSecret: () => moveLeftSecret(core),
    resealStore: () => resealAndForget(core),
  };
}

/** The key that all operators may share: `OPERATOR_API_KEY`, or the one that the installation made. */
export function operatorKey({ config, store, clock, sealer }: Core): Promise<string> {
  if (config.operatorApiKey !== undefined) return Promise.resolve(config.operatorApiKey);
  return loadOrCreateOperatorKey({ store, clock, sealer });
}
