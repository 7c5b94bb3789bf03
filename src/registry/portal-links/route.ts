import { createPortalLink, MadePortalLink } from '../../directory/portal-link/portal-link.ts';
import { AppError } from '../../platform/errors.ts';
import { NOT_KEPT, ownOrganization } from '../buyer-webhooks/own.ts';
import { endpoint } from '../endpoint.ts';

/** A session that it opens is the key's: it may no more, and ends with it (rule O1.portal). */
export const makePortalLink = endpoint({
  id: 'makePortalLink',
  method: 'post',
  path: '/api/buyer/portal-links',
  tag: 'Webhooks',
  summary: 'Make a one-time link into the portal, good for 15 minutes',
  description:
    'For a person of yours, in place of the key: whom the link lets in may what your key may there, until the key ends. An API key makes it; a person’s token does not.',
  access: 'required',
  area: 'webhooks',
  effect: 'read',
  limit: 'portal_links',
  responses: { 201: { description: 'The link, shown in this answer and never again', schema: MadePortalLink } },

  async handle(_input, call) {
    const { caller, security, ids } = call;
    const organization_id = ownOrganization(call);
    if (caller?.kind !== 'organization')
      throw new AppError('FORBIDDEN', 'an API key makes these links, since a session that they open ends with it');
    const api_key_id = caller.key.principal_id;
    const made = await createPortalLink(call, { organization_id, api_key_id, click: ids.newId() }, call.baseUrl());
    security.record('portal.link_made', { subject: api_key_id, organization_id });
    return { status: 201, body: made, headers: NOT_KEPT };
  },
});
