import { z } from 'zod';
import { ConfiguredClient } from '../../../oauth/client/client.ts';
import { PORTAL_CLIENT_ID } from '../../../directory/oauth/account-sign-in.ts';
import {
  accounts,
  flag,
  jsonOf,
  oidcIssuer,
  rolesByWord,
  strongKey,
  text,
  url,
  wholeNumber,
} from '../setting-values.ts';
import { setting } from './setting.ts';

/** What this agent, or a claim, is called at an identity provider. */
const visible = text(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters');
/** Its secret there. */
const clientSecret = text(/^[\x20-\x7e]{8,1024}$/, 'must be 8 to 1024 printable ASCII characters');

/** Who may call, and who can sign in. */
export const ACCESS_SETTINGS = {
  BOOTSTRAP_API_KEY: setting(
    strongKey,
    'mk_live_at-least-32-random-characters',
    "a first organization's API key, for deployments that start from nothing",
  ),
  OPERATOR_API_KEY: setting(
    strongKey,
    'op_live_at-least-32-random-characters',
    'the key of /api/operator and npm run agent; default: one made at the first start, which npm start then prints on loopback',
  ),
  OPERATOR_OIDC_ISSUER: setting(
    oidcIssuer,
    'https://login.publisher.example',
    'the identity provider at which people who were invited sign in to the console, exactly as its tokens spell it; default: none',
  ),
  OPERATOR_OIDC_CLIENT_ID: setting(
    visible,
    'media-buy-agent',
    'what this agent is called there; its redirect URI is PUBLIC_URL with /admin/sign-in/oidc/callback',
  ),
  OPERATOR_OIDC_CLIENT_SECRET: setting(clientSecret, 'from-the-identity-provider', 'its secret there'),
  OPERATOR_OIDC_ROLE_CLAIM: setting(
    visible,
    'groups',
    'the claim of its tokens, a text or a list, whose words give roles in the console; default: roles come from invitations alone',
  ),
  OPERATOR_OIDC_ROLES: setting(
    rolesByWord,
    'ads-admins:admin,ads-desk:operator',
    'those words, each with its role: viewer, operator or admin; the greatest counts',
  ),
  SIGN_IN_LINKS: setting(
    flag,
    'true',
    'let one-time links open the console; false: only the identity provider does, which must then be set',
  ),
  FRESH_SIGN_IN_MINUTES: setting(
    wholeNumber(0, 720),
    '15',
    'how old a sign-in to the console may be, in minutes, to make and revoke keys or to add and remove people; 0: as old as its session',
  ),
  OAUTH_ISSUER: setting(
    url(['http:', 'https:'], 'an http or https URL'),
    'https://login.publisher.example',
    "whose access tokens count for users, exactly as its tokens spell it; default: this agent's own authorization server",
  ),
  PORTAL_OIDC_CLIENT_ID: setting(
    visible,
    'media-buy-agent-portal',
    "what the buyers' portal is called at OAUTH_ISSUER, at which people then sign in to it with their own account; its redirect URI is PUBLIC_URL with /portal/signed-in",
  ),
  PORTAL_OIDC_CLIENT_SECRET: setting(clientSecret, 'from-the-issuer', 'its secret there'),
  OAUTH_CLIENTS: setting(
    jsonOf(
      z
        .array(
          ConfiguredClient.refine(({ client_id }) => client_id !== PORTAL_CLIENT_ID, {
            path: ['client_id'],
            error: `must not be ${PORTAL_CLIENT_ID}, which is the buyers' portal of this agent`,
          }),
        )
        .max(100),
    ),
    '[{"client_id":"console","client_name":"Console","redirect_uris":["https://console.example/callback"]}]',
    "applications that may ask this agent's own authorization server for tokens, as JSON",
  ),
  OAUTH_REGISTRATION: setting(flag, 'false', 'let applications register themselves there (RFC 7591)'),
  DEV_ACCOUNTS: setting(
    accounts,
    'ada@acme.example:at-least-12-characters',
    'people who can sign in there, for development; default: nobody, and the demo account (DEMO_ACCOUNT)',
  ),
  DEMO_ACCOUNT: setting(
    flag,
    'false',
    "let npm start make the demo's buyer, with its person and application; on while only this machine reaches it, without BOOTSTRAP_API_KEY",
  ),
  EXAMPLE_BUYS: setting(
    flag,
    'false',
    'let npm start make the media buys that the examples of the card name; on while only this machine reaches it',
  ),
};
