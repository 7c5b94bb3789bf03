import type { Router } from 'express';
import { loadOrCreateOperatorKey } from '../admin/operator/operator-key.ts';
import { operatorRouter } from '../admin/operator/router.ts';
import { sealer } from '../platform/sealer.ts';
import type { Core } from './compose.ts';

/** The operator API on what this process is made of. */
export function operatorRoutes(core: Core): Router {
  const { store, clock, ids, log, limiter, approvals, sales } = core;
  let key: Promise<string> | undefined;
  return operatorRouter({
    ...{ store, clock, ids, log, limiter },
    desk: approvals,
    mediaBuys: sales.mediaBuys,
    operatorKey: () =>
      (key ??= operatorKey(core).catch((error: unknown) => {
        key = undefined;
        throw error;
      })),
  });
}

/** The one key that opens the operator API: `OPERATOR_API_KEY`, or the one that the installation made. */
export function operatorKey({ config, store, clock, secret }: Core): Promise<string> {
  if (config.operatorApiKey !== undefined) return Promise.resolve(config.operatorApiKey);
  return loadOrCreateOperatorKey({ store, clock, sealer: sealer(secret) });
}
