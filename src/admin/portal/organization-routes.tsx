import { Router } from 'express';
import { organizationsOfUser } from '../../directory/membership/organizations-of-user.ts';
import { isSuspended } from '../../directory/organization/suspension.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import { goOnAs } from '../portal-session.ts';
import type { PortalDesk } from './portal-desk.tsx';
import { ORGANIZATION, PORTAL } from './portal-shell.tsx';
import { portalOrganizationPage } from './portal-sign-in-pages.tsx';

/** Which of their organizations a person looks at, whom an issuer elsewhere signed in without asking. */
export function organizationRoutes({ store }: { store: Store }, desk: PortalDesk): Router {
  const router = Router();

  async function theirs(user_id: string | undefined) {
    if (user_id === undefined) throw new AppError('NOT_FOUND', 'this session is of one organization alone');
    return (await organizationsOfUser(store, user_id)).filter((one) => !isSuspended(one));
  }

  router.get(ORGANIZATION, async (request, response) => {
    const { user_id, organization_id } = desk.callerOf(request);
    const organizations = await theirs(user_id);
    const fields = desk.fieldsFor(request, ORGANIZATION);
    desk.send(request, response, portalOrganizationPage(organizations, organization_id, fields));
  });

  router.post(ORGANIZATION, async (request, response) => {
    const { form } = await desk.formFor(request, ORGANIZATION);
    const { user_id = '' } = desk.callerOf(request);
    const chosen = (await theirs(user_id)).find((one) => one.organization_id === form['organization_id']);
    if (chosen === undefined)
      throw new AppError('NOT_FOUND', 'organization_id: you belong to no such organization', {
        field: 'organization_id',
      });
    await goOnAs({ store }, desk.cookieOf(request) ?? '', { user_id, organization_id: chosen.organization_id });
    response.redirect(303, PORTAL);
  });
  return router;
}
