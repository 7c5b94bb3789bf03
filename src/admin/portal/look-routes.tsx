import { Router } from 'express';
import { z } from 'zod';
import { parseInput } from '../../platform/validation.ts';
import { SuccessRange } from '../../webhooks/buyer/success.ts';
import { portalKeysPage, portalSuccessPage } from './look-pages.tsx';
import type { PortalDesk } from './portal-desk.tsx';
import { portalReceiversPage } from './portal-pages.tsx';

const Counted = z.object({ range: SuccessRange.default('day') });
const Keys = z.object({ cursor: z.string().max(2048).optional() });

/** How an organization's receivers do, what became of its webhooks, and keys: nothing of it can be changed here. */
export function lookRoutes(desk: PortalDesk): Router {
  const { buyer, clock } = desk;
  const router = Router();

  router.get('/receivers', async (request, response) => {
    await desk.take('read_destinations', request, response);
    const rows = await buyer.destinations(desk.callerOf(request).organization_id);
    desk.send(request, response, portalReceiversPage(rows, clock.now()));
  });

  router.get('/success', async (request, response) => {
    await desk.take('read_destinations', request, response);
    const { range } = parseInput(Counted, request.query);
    const success = await buyer.success(desk.callerOf(request).organization_id, range);
    desk.send(request, response, portalSuccessPage(success));
  });

  router.get('/keys', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const { cursor: after } = parseInput(Keys, request.query);
    const [keys, signing] = await Promise.all([
      buyer.apiKeys(desk.callerOf(request).organization_id, after),
      buyer.signingKeys(),
    ]);
    const cursors = { cursor: keys.cursor, at: after };
    desk.send(request, response, portalKeysPage(keys.rows, { ...cursors, signing, now: clock.now() }));
  });
  return router;
}
