import { z } from 'zod';
import { createPortalLink, MadePortalLink } from '../../../directory/portal-link/portal-link.ts';
import { AppError } from '../../../platform/errors.ts';
import { endPortalSessionsOf } from '../../portal-session.ts';
import { Words } from '../fields.ts';
import { clickOf, operation } from '../operation.ts';
import { BuyerParams, knownBuyer } from './operations.ts';

/** For somebody at the buyer's who has no key at hand. */
export const createBuyersPortalLink = operation({
  method: 'post',
  path: '/buyers/:organization_id/portal-links/create',
  summary: "Make a one-time link into an organization's portal, good for 15 minutes; it is shown once.",
  role: 'admin',
  action: 'portal_links.create',
  done: () => 'The link is made.',
  asksFreshSignIn: true,
  decides: 'portal.link_made',
  concerns: (_answer, { params: { organization_id } }) => ({ organization_id }),
  hasSecret: true,
  params: BuyerParams,
  answer: z.object(MadePortalLink.shape),
  async handle({ params: { organization_id } }, call) {
    await knownBuyer(call.store, organization_id);
    return createPortalLink(call, { organization_id, api_key_id: null, click: clickOf(call) }, call.baseUrl);
  },
});

/** Of links and of keys alike; a key opens another one until it is revoked. */
export const endBuyersPortalSessions = operation({
  method: 'post',
  path: '/buyers/:organization_id/portal-sessions/end',
  summary: "End all of an organization's sessions in the portal, and its links that nobody has used.",
  role: 'admin',
  action: 'portal_sessions.end',
  done: ({ sessions_ended }) => `Sessions that were ended: ${sessions_ended}.`,
  decides: 'portal.sessions_ended',
  concerns: ({ sessions_ended }, { params: { organization_id } }) => ({
    organization_id,
    reason: `${sessions_ended} ended`,
  }),
  params: BuyerParams,
  body: z.strictObject({
    /** For the record. */
    reason: Words,
  }),
  answer: z.object({ sessions_ended: z.int() }),
  async handle({ params: { organization_id } }, call) {
    await knownBuyer(call.store, organization_id);
    const endGrant = (grant_id: string) => call.grants.end(grant_id).catch(unlessGone);
    return { sessions_ended: await endPortalSessionsOf(call, organization_id, endGrant) };
  },
});

/** A grant goes by itself once it is over. */
function unlessGone(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
}
