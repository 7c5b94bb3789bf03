import { SCOPE_MEANINGS } from '../../directory/caller.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import { htmlPage, styleSource } from '../../platform/html-page.ts';
import type { KnownClient } from '../client/find-client.ts';
import { PATHS } from '../metadata.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** The pages of the authorization server: no script, nothing loaded from elsewhere. */

export interface LoginPage {
  baseUrl: string;
  ticket: string;
  request: AuthorizationRequest;
  /** What the person typed before, and why it did not do. */
  email?: string;
  problem?: string;
}

export function loginPage({ baseUrl, ticket, request, email = '', problem }: LoginPage): string {
  return page(
    'Sign in',
    `<h1>Sign in</h1>
<p>${clientName(request.client)} asks for access to ${text(request.resource.name)}.</p>
${problem === undefined ? '' : `<p class="problem" role="alert">${text(problem)}</p>`}
<form method="post" action="${text(baseUrl + PATHS.login)}">
${hidden('ticket', ticket)}
<label>E-mail <input name="email" type="email" autocomplete="username" required autofocus value="${text(email)}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>`,
  );
}

export interface ConsentPage {
  baseUrl: string;
  ticket: string;
  request: AuthorizationRequest;
  email: string;
  /** Those the person may speak for; undefined where none acts. */
  organizations: readonly Organization[] | undefined;
}

export function consentPage({ baseUrl, ticket, request, email, organizations }: ConsentPage): string {
  const { client, scopes, resource, redirect_uri } = request;
  const canAllow = organizations === undefined || organizations.length > 0;
  return page(
    'Allow access',
    `<h1>Allow access?</h1>
<p>${clientName(client)} wants to use ${text(resource.name)} as <b>${text(email)}</b>, to:</p>
${client.registeredItself ? SELF_REGISTERED : ''}
<ul>${scopes.map((scope) => `<li>${text(SCOPE_MEANINGS[scope])} <small>${text(scope)}</small></li>`).join('')}</ul>
<form method="post" action="${text(baseUrl + PATHS.consent)}">
${hidden('ticket', ticket)}
${organizations === undefined ? '' : organizationChoice(organizations)}
${canAllow ? '<button name="decision" value="allow">Allow</button>' : ''}
<button name="decision" value="deny" class="other">Deny</button>
<button name="decision" value="switch" class="other">Use another account</button>
</form>
<p class="quiet">The answer goes to ${text(destination(redirect_uri))}. Allow only what you started yourself.
<a href="${text(baseUrl + PATHS.signOut)}">Sign out</a></p>`,
  );
}

export function problemPage(problem: string): string {
  return page('Not possible', `<h1>This does not work</h1><p>${text(problem)}</p>`);
}

export function accountSignOutPage(baseUrl: string): string {
  return page(
    'Sign out',
    `<h1>Sign out?</h1>
<p>This ends your session here. What you have allowed applications stays allowed.</p>
<form method="post" action="${text(baseUrl + PATHS.signOut)}"><button>Sign out</button></form>`,
  );
}

export function accountSignedOutPage(): string {
  return page('Signed out', '<h1>You are signed out</h1><p>You may close this page.</p>');
}

const SELF_REGISTERED =
  '<p class="problem">This application registered itself: nobody here has checked who it is, and its name is its own claim.</p>';

/** A name as an application says it: it turns no writing around it, whatever it holds. */
function clientName({ client_name }: KnownClient): string {
  return `<b><bdi>${text(client_name.replace(/[\p{Cc}\p{Bidi_Control}]/gu, ''))}</bdi></b>`;
}

function organizationChoice(organizations: readonly Organization[]): string {
  if (organizations.length === 0)
    return '<p class="problem">You belong to no organization yet; create or join one first.</p>';
  const options = organizations.map(
    ({ organization_id, name }) => `<option value="${text(organization_id)}">${text(name)}</option>`,
  );
  return `<label>For the organization <select name="organization_id">${options.join('')}</select></label>`;
}

/** Where an answer goes, in as few words as tell it apart. */
function destination(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : `the application at ${protocol}`;
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${text(value)}">`;
}

function page(title: string, body: string): string {
  return htmlPage({ title, style: STYLE, body });
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #5c6775; --paper: #f5f6f8; --card: #fff; --line: #dde1e6; --accent: #1f5fbf; --alarm: #a3261f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --quiet: #98a3b1; --paper: #12161c; --card: #1a2028; --line: #2c343f; --accent: #6ea8ff; --alarm: #ff8f86; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { width: 100%; max-width: 28rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.4rem; line-height: 1.25; }
p, ul { margin: 0 0 1rem; }
label { display: block; margin-bottom: 1rem; }
input, select { display: block; width: 100%; font: inherit; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); color: var(--ink); }
button { font: inherit; padding: .5rem 1.1rem; margin: 0 .5rem .75rem 0; border: 1px solid var(--accent); border-radius: .4rem; background: var(--accent); color: var(--card); cursor: pointer; }
button.other { background: none; color: var(--accent); }
small, .quiet { color: var(--quiet); font-size: .9rem; }
.problem { color: var(--alarm); }
`;

function text(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The style of these pages, as their policy names it. */
export const AUTHORIZE_STYLE_SOURCE = styleSource(STYLE);
