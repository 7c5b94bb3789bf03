import { Router } from 'express';
import { z } from 'zod';
import { parseInput } from '../../platform/validation.ts';
import type { TestOutcome } from '../../webhooks/buyer/test-event.ts';
import { pageOfId } from '../console/parts/words.tsx';
import type { PortalDesk } from './portal-desk.tsx';
import { PORTAL } from './portal-shell.tsx';
import {
  portalEndPage,
  portalRegistrationPage,
  portalRegistrationsPage,
  portalTestedPage,
} from './registration-pages.tsx';

const Listed = z.object({
  task_id: z.string().min(1).max(512).optional(),
  cursor: z.string().max(2048).optional(),
});

interface Place {
  task_id: string;
  registration_id: string;
}

/** Where a registration's page is, below the portal. */
function placeOf({ task_id, registration_id }: Place): string {
  return pageOfId(pageOfId('/registrations', task_id), registration_id);
}

/** Where the news of an organization's tasks goes; a test event there, and its end. */
export function registrationRoutes(desk: PortalDesk): Router {
  const { buyer, clock } = desk;
  const router = Router();

  router.get('/registrations', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const { task_id, cursor: after } = parseInput(Listed, request.query);
    const { rows, cursor } = await buyer.registrations(desk.callerOf(request).organization_id, { task_id, after });
    const query = { task_id, cursor: after };
    desk.send(request, response, portalRegistrationsPage(rows, { query, cursor, now: clock.now(), placeOf }));
  });

  router.get('/registrations/:task_id/:registration_id', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const one = await buyer.registration(desk.callerOf(request).organization_id, request.params);
    const place = placeOf(one);
    const test = desk.fieldsToWrite(request, `${place}/test`);
    const isDone = request.query['done'] === 'end';
    desk.send(request, response, portalRegistrationPage(one, { place, test, isDone, now: clock.now() }));
  });

  router.get('/registrations/:task_id/:registration_id/end', async (request, response) => {
    await desk.take('read_webhooks', request, response);
    const one = await buyer.registration(desk.callerOf(request).organization_id, request.params);
    const place = placeOf(one);
    desk.send(request, response, portalEndPage(one, { place, end: desk.fieldsToWrite(request, `${place}/end`) }));
  });

  router.post('/registrations/:task_id/:registration_id/end', async (request, response) => {
    const place = placeOf(request.params);
    await desk.act(request, `${place}/end`, async () => {
      await desk.take('change_webhooks', request, response);
      await buyer.endRegistration(desk.callerOf(request).organization_id, request.params);
    });
    response.redirect(303, `${PORTAL}${place}?done=end`);
  });

  router.post('/registrations/:task_id/:registration_id/test', async (request, response) => {
    const place = placeOf(request.params);
    let outcome: TestOutcome | undefined;
    await desk.act(request, `${place}/test`, async () => {
      await desk.take('test_webhook', request, response);
      outcome = await buyer.testRegistration(desk.callerOf(request).organization_id, request.params);
    });
    // Of a click that came twice the first answer tells; nothing of it is kept.
    if (outcome === undefined) response.redirect(303, `${PORTAL}${place}`);
    else desk.send(request, response, portalTestedPage(outcome, place));
  });
  return router;
}
