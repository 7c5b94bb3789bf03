import { htmlPage } from '../platform/html-page.ts';
import type { LinkSight } from './sign-in-link.ts';

/** The console's own pages: no script, nothing loaded from elsewhere. */

/** How people get in, on the page that is shown wherever they are not signed in. */
export interface WaysIn {
  /** Whether one-time links do. */
  hasLinks: boolean;
  /** What makes a new one-time link. */
  linkCommand?: string | undefined;
  /** The organization's own sign-in: where it begins, and at which host it is. */
  oidc?: { href: string; host: string } | undefined;
}

export function signInPage({ hasLinks, linkCommand, oidc }: WaysIn): string {
  const button =
    oidc === undefined ? '' : `<p><a class="button" href="${oidc.href}">Sign in at ${escapeHtml(oidc.host)}</a></p>\n`;
  if (!hasLinks)
    return consolePage(
      'Sign in',
      `<h1>Sign in to the console</h1>
${button}<p class="quiet">One-time links are switched off here. Whoever is to sign in must have been invited.</p>`,
    );
  const how =
    linkCommand === undefined
      ? 'an operator makes one.'
      : `npm start prints one where only its own machine reaches it, and this command makes one:</p><pre>${escapeHtml(linkCommand)}</pre><p>`;
  return consolePage(
    'Sign in',
    `<h1>Sign in to the console</h1>
${button}<p>The console opens with a one-time link${oidc === undefined ? '' : ', too'}: ${how}</p>
<p class="quiet">A link works once and for 15 minutes. A link you have used before, or an old one, leads here.</p>`,
  );
}

/** Asks whoever opened a link whether to use it up. */
export function confirmSignInPage({ name, asksName }: LinkSight, token: string, problem?: string): string {
  const asked = asksName
    ? `<p>This link signs you in once, as the first admin here: what you do stands on record by your name.</p>
${problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}.</p>`}
<form method="post" action="/admin/sign-in"><label>Your name <input name="name" maxlength="100" required autofocus autocomplete="name"></label>
`
    : `<p>This link signs you in as <bdi>${escapeHtml(name)}</bdi>, once.</p>
<form method="post" action="/admin/sign-in">`;
  return consolePage(
    'Sign in',
    `<h1>Sign in to the console</h1>
${asked}<input type="hidden" name="token" value="${escapeHtml(token)}">
<button>Sign in</button></form>`,
  );
}

/** `token`: of the form, made for the session that it ends. */
export function signOutPage(token: string): string {
  return consolePage(
    'Sign out',
    `<h1>Sign out</h1>
<p>This ends your session on this server.</p>
<form method="post" action="/admin/sign-out"><input type="hidden" name="_token" value="${escapeHtml(token)}">
<button>Sign out</button> <a href="/admin">Stay signed in</a></form>`,
  );
}

export function signedOutPage({ oidc }: Pick<WaysIn, 'oidc'>): string {
  const back =
    oidc === undefined
      ? 'To come back, use a new one-time link.'
      : `At ${escapeHtml(oidc.host)} you may be signed in still. <a href="/admin/sign-in">Come back</a>`;
  return consolePage('Signed out', `<h1>You are signed out</h1><p>${back}</p>`);
}

export function refusalPage(): string {
  return consolePage(
    'Refused',
    '<h1>Refused</h1><p>This change was asked for by another site, or by something that does not say where it comes from. Make it on the console itself.</p>',
  );
}

/** For a form that the gate refuses. */
export function refusedFormPage(why: string): string {
  return consolePage('Refused', `<h1>Refused</h1><p>${escapeHtml(why)}.</p>`);
}

/** `body` is escaped already. */
export function consolePage(title: string, body: string): string {
  return htmlPage({ title: `${title} · media-buy-agent`, style: STYLE, body });
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #5c6775; --paper: #f5f6f8; --card: #fff; --line: #dde1e6; --accent: #1f5fbf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --quiet: #98a3b1; --paper: #12161c; --card: #1a2028; --line: #2c343f; --accent: #6ea8ff; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { width: 100%; max-width: 34rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 .75rem; font-size: 1.4rem; line-height: 1.25; }
p { margin: 0 0 .75rem; }
pre { margin: 0 0 .75rem; padding: .75rem 1rem; overflow-x: auto; background: var(--paper); border-radius: .4rem; font: .9rem/1.5 ui-monospace, monospace; }
.quiet { color: var(--quiet); font-size: .9rem; margin: 0; }
a { color: var(--accent); }
label { display: grid; gap: .2rem; margin: 0 0 .75rem; font-weight: 600; }
input { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet); border-radius: .4rem; padding: .4rem .6rem; }
button, .button { display: inline-block; text-decoration: none; font: inherit; padding: .5rem 1.1rem; margin-right: .75rem; border: 0; border-radius: .4rem; background: var(--accent); color: var(--card); cursor: pointer; }
`;

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
