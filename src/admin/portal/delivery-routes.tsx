import { Router } from 'express';
import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { parseInput } from '../../platform/validation.ts';
import { DeliveryState } from '../../webhooks/delivery/delivery.ts';
import { pageOfId } from '../console/parts/words.tsx';
import type { PortalDesk } from './portal-desk.tsx';
import { portalDeliveriesPage, portalDeliveryPage } from './portal-pages.tsx';
import { PORTAL } from './portal-shell.tsx';

const Listed = z.object({
  state: DeliveryState.optional(),
  task_id: z.string().min(1).max(512).optional(),
  cursor: z.string().max(2048).optional(),
});

const PAGE = 50;

/** What was sent to an organization, one with its bytes and attempts, and one again. */
export function deliveryRoutes(desk: PortalDesk): Router {
  const { buyer, clock } = desk;
  const router = Router();
  const resendOf = (delivery_id: string) => `${pageOfId('/deliveries', delivery_id)}/resend`;

  router.get('/', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const query = parseInput(Listed, request.query);
    const { organization_id } = desk.callerOf(request);
    const page = await buyer.list(organization_id, query, { limit: PAGE, after: query.cursor });
    desk.send(request, response, portalDeliveriesPage(page.rows, { query, cursor: page.cursor, now: clock.now() }));
  });

  router.get('/deliveries/:delivery_id', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const { organization_id } = desk.callerOf(request);
    const { delivery_id } = request.params;
    const [delivery, sent] = await Promise.all([
      buyer.show(organization_id, delivery_id),
      buyer.body(organization_id, delivery_id),
    ]);
    const resend = desk.fieldsToWrite(request, resendOf(delivery.delivery_id));
    const isDone = request.query['done'] === 'resend';
    desk.send(request, response, portalDeliveryPage(delivery, { sent, now: clock.now(), resend, isDone }));
  });

  router.get('/deliveries/:delivery_id/body.json', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const { text, is_masked } = await buyer.body(desk.callerOf(request).organization_id, request.params.delivery_id);
    if (is_masked)
      throw new AppError('INVALID_STATE', 'these bytes hold the token that you gave; what your receiver got has them');
    response.type('application/json').set('Content-Disposition', 'attachment; filename="body.json"');
    response.send(Buffer.from(text));
  });

  router.post('/deliveries/:delivery_id/resend', async (request, response) => {
    const { delivery_id } = request.params;
    let shown = delivery_id;
    await desk.act(request, resendOf(delivery_id), async () => {
      await desk.take('resend_webhook', request, response);
      shown = (await buyer.resend(desk.callerOf(request).organization_id, delivery_id)).delivery_id;
    });
    response.redirect(303, `${PORTAL}${pageOfId('/deliveries', shown)}?done=resend`);
  });
  return router;
}
