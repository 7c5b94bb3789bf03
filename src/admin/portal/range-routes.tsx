import { Router } from 'express';
import { z } from 'zod';
import { parseInput } from '../../platform/validation.ts';
import { RangeRequest } from '../../webhooks/buyer/resend-range.ts';
import { instantInUtc } from '../console/parts/ranges.tsx';
import { pageOfId } from '../console/parts/words.tsx';
import { filled } from './portal-desk.tsx';
import type { PortalDesk } from './portal-desk.tsx';
import { PORTAL } from './portal-shell.tsx';
import { portalCountPage, portalRangePage, portalRangesPage } from './range-pages.tsx';

/** A time as an address or a browser's field says it. */
const Time = z.preprocess(instantInUtc, RangeRequest.shape.from);

const Counted = z.object({
  state: RangeRequest.shape.state,
  destination: RangeRequest.shape.destination,
  from: Time,
  until: Time,
});

/** Many webhooks that are sent again by one wish: counted, asked for, looked at and stopped. */
export function rangeRoutes(desk: PortalDesk): Router {
  const { buyer, budgets, clock } = desk;
  const router = Router();

  router.get('/ranges', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const ranges = await buyer.ranges.list(desk.callerOf(request).organization_id);
    const mayAsk = desk.fieldsToWrite(request, '/ranges') !== undefined;
    desk.send(request, response, portalRangesPage(ranges, { mayAsk, now: clock.now() }));
  });

  router.get('/ranges/count', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const asked = parseInput(Counted, filled(request.query));
    const count = await buyer.ranges.count(desk.callerOf(request).organization_id, asked);
    const ask = desk.fieldsToWrite(request, '/ranges');
    desk.send(request, response, portalCountPage({ ...asked, until: count.until }, { count, ask, now: clock.now() }));
  });

  router.post('/ranges', async (request, response) => {
    let shown = '';
    await desk.act(request, '/ranges', async (form) => {
      await desk.take('change_webhooks', request, response);
      const range = await buyer.ranges.ask(
        desk.callerOf(request).organization_id,
        parseInput(RangeRequest, filled(form as typeof request.query)),
        budgets,
      );
      shown = pageOfId('', range.range_id);
    });
    response.redirect(303, `${PORTAL}/ranges${shown}`);
  });

  router.get('/ranges/:range_id', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const range = await buyer.ranges.show(desk.callerOf(request).organization_id, request.params.range_id);
    const stop = desk.fieldsToWrite(request, `${pageOfId('/ranges', range.range_id)}/stop`);
    desk.send(request, response, portalRangePage(range, { stop, now: clock.now() }));
  });

  router.post('/ranges/:range_id/stop', async (request, response) => {
    const place = pageOfId('/ranges', request.params.range_id);
    await desk.act(request, `${place}/stop`, async () => {
      await desk.take('change_webhooks', request, response);
      await buyer.ranges.stop(desk.callerOf(request).organization_id, request.params.range_id);
    });
    response.redirect(303, `${PORTAL}${place}`);
  });
  return router;
}
