import { Router } from 'express';
import type { Request } from 'express';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { hasBearerToken } from './bearer-token.ts';
import { inputOf, readJsonBody } from './bridge-input.ts';
import { bridgeErrors, BridgeRefusal } from './bridge-refusal.ts';
import { MAX_RINGS_A_MINUTE, RING_PATH, RingEvent } from './ring-event.ts';

export interface RingRouterOptions {
  /** Whoever may ring: the token tells which of them does. */
  adServers: readonly { id: string; token: string }[];
  /** Has the order read soon; false for one of which this ad server was never told. */
  ring: (ring: { ad_server_id: string; media_buy_id: MediaBuyId }) => Promise<boolean>;
  limiter: Pick<RateLimiter, 'take'>;
  log: Logger;
}

/** Where ad servers ring, `POST /ad-server/events`: 202, and the agent reads the order soon. */
export function createRingRouter({ adServers, ring, limiter, log }: RingRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.post(
    RING_PATH,
    (request, response, next) => {
      response.locals['ad_server_id'] = ringerOf(request, adServers);
      next();
    },
    readJsonBody(INPUT_LIMITS.ringBodyBytes),
    async (request, response) => {
      const ad_server_id = String(response.locals['ad_server_id']);
      const { allowed, resetSeconds } = await limiter.take(RINGS, ad_server_id);
      if (!allowed) {
        response.set('Retry-After', String(resetSeconds));
        throw new BridgeRefusal(429, 'too_many_rings', `at most ${MAX_RINGS_A_MINUTE} rings a minute are taken`);
      }
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

const RINGS = { name: 'ad-server-rings', points: MAX_RINGS_A_MINUTE, seconds: 60 } as const;

/** Every token is compared, so that the time says nothing of which one is nearly right. @throws {BridgeRefusal} 401. */
function ringerOf(request: Request, adServers: RingRouterOptions['adServers']): string {
  const authorization = request.get('authorization');
  const [ringer] = adServers.filter(({ token }) => hasBearerToken(authorization, token));
  if (ringer === undefined)
    throw new BridgeRefusal(401, 'unauthorized', 'send the token of the bridge as Authorization: Bearer');
  return ringer.id;
}
