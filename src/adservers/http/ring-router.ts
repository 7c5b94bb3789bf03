import { Router } from 'express';
import type { Request, Response } from 'express';
import type { SpentBudget } from '../../platform/budget/budget-table.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { addressKey } from '../../platform/client-address.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { hasBearerToken } from './bearer-token.ts';
import { inputOf, readJsonBody } from './bridge-input.ts';
import { bridgeErrors, BridgeRefusal } from './bridge-refusal.ts';
import { RING_PATH, RingEvent } from './ring-event.ts';

export interface RingRouterOptions {
  /** Whoever may ring: the token tells which of them does. */
  adServers: readonly { id: string; token: string }[];
  /** Has the order read soon; false for one of which this ad server was never told. */
  ring: (ring: { ad_server_id: string; media_buy_id: MediaBuyId }) => Promise<boolean>;
  budgets: Pick<Budgets, 'take'>;
  log: Logger;
  security: SecurityLog;
}

/** Where ad servers ring, `POST /ad-server/events`: 202, and the agent reads the order soon. */
export function createRingRouter({ adServers, ring, budgets, log, security }: RingRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.post(
    RING_PATH,
    async (request, response, next) => {
      const ad_server_id = ringerOf(request, adServers);
      if (ad_server_id === undefined) {
        security.record('signature.refused', { target: 'ring of an ad server' });
        await take(budgets, { name: 'failed_credentials', key: addressKey(request.ip ?? '') }, response);
        throw new BridgeRefusal(401, 'unauthorized', 'send the token of the bridge as Authorization: Bearer');
      }
      response.locals['ad_server_id'] = ad_server_id;
      next();
    },
    readJsonBody(INPUT_LIMITS.ringBodyBytes),
    async (request, response) => {
      const ad_server_id = String(response.locals['ad_server_id']);
      await take(budgets, { name: 'ad_server_rings', key: ad_server_id }, response);
      const media_buy_id = MediaBuyId.parse(inputOf(RingEvent, request.body, 'body').media_buy_id);
      if (!(await ring({ ad_server_id, media_buy_id }))) {
        const text = 'body.media_buy_id: names no media buy that this ad server was told of';
        throw new BridgeRefusal(404, 'not_found', text);
      }
      response.set('Cache-Control', 'no-store').status(202).json({ media_buy_id });
    },
  );
  router.all(RING_PATH, (request, response) => {
    response.set('Allow', 'POST');
    throw new BridgeRefusal(405, 'method_not_allowed', `${request.method} is not answered here; send POST`);
  });
  router.use(RING_PATH, bridgeErrors({ log, now: Date.now }));
  return router;
}

/** @throws {BridgeRefusal} 429 with when to come again, as this wire spells it. */
async function take(
  budgets: RingRouterOptions['budgets'],
  { name, key }: { name: SpentBudget; key: string },
  response: Response,
): Promise<void> {
  await budgets.take(name, key).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    response.set('Retry-After', String(error.details.retry_after));
    const code = name === 'ad_server_rings' ? 'too_many_rings' : 'too_many_wrong_tokens';
    throw new BridgeRefusal(429, code, error.message, error.details.details);
  });
}

/** Every token is compared, so that the time says nothing of which one is nearly right. Undefined: none is this one's. */
function ringerOf(request: Request, adServers: RingRouterOptions['adServers']): string | undefined {
  const authorization = request.get('authorization');
  const [ringer] = adServers.filter(({ token }) => hasBearerToken(authorization, token));
  return ringer?.id;
}
