import { PORTAL_CLIENT_ID } from '../../directory/oauth/account-sign-in.ts';
import { PORTAL_RESOURCE } from '../resources.ts';
import type { OwnClient } from '../client/client.ts';

/**
 * The buyers' portal as an application of this server (rule O1.portal): it takes its codes in the same process, is given no tokens, and what
 * people allow it is good for the portal alone.
 * @param baseUrl Where this agent is reached.
 */
export function portalClient(baseUrl: string): OwnClient {
  return {
    client_id: PORTAL_CLIENT_ID,
    client_name: 'The portal of this agent',
    redirect_uris: [new URL('/portal/signed-in', baseUrl).href],
    resource: PORTAL_RESOURCE,
  };
}
