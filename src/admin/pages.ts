import { htmlPage } from '../platform/html-page.ts';
import { SIGN_IN_STYLE_URL } from './console/files.ts';
import { escaped } from './console/html/markup.ts';
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
    oidc === undefined ? '' : `<p><a class="button" href="${oidc.href}">Sign in at ${escaped(oidc.host)}</a></p>\n`;
  if (!hasLinks)
    return consolePage(
      'Sign in',
      `<h1>Sign in to the console</h1>
${button}<p class="quiet">One-time links are switched off here. Whoever is to sign in must have been invited.</p>`,
    );
  const how =
    linkCommand === undefined
      ? 'an operator makes one.'
      : `npm start prints one where only its own machine reaches it, and this command makes one:</p><pre>${escaped(linkCommand)}</pre><p>`;
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
${problem === undefined ? '' : `<p role="alert">${escaped(problem)}.</p>`}
<form method="post" action="/admin/sign-in"><label>Your name <input name="name" maxlength="100" required autofocus autocomplete="name"></label>
`
    : `<p>This link signs you in as <bdi>${escaped(name)}</bdi>, once.</p>
<form method="post" action="/admin/sign-in">`;
  return consolePage(
    'Sign in',
    `<h1>Sign in to the console</h1>
${asked}<input type="hidden" name="token" value="${escaped(token)}">
<button>Sign in</button></form>`,
  );
}

/** `token`: of the form, made for the session that it ends. */
export function signOutPage(token: string): string {
  return consolePage(
    'Sign out',
    `<h1>Sign out</h1>
<p>This ends your session on this server.</p>
<form method="post" action="/admin/sign-out"><input type="hidden" name="_token" value="${escaped(token)}">
<button>Sign out</button> <a href="/admin">Stay signed in</a></form>`,
  );
}

export function signedOutPage({ oidc }: Pick<WaysIn, 'oidc'>): string {
  const back =
    oidc === undefined
      ? 'To come back, use a new one-time link.'
      : `At ${escaped(oidc.host)} you may be signed in still. <a href="/admin/sign-in">Come back</a>`;
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
  return consolePage('Refused', `<h1>Refused</h1><p>${escaped(why)}.</p>`);
}

/** `body` is escaped already. */
export function consolePage(title: string, body: string): string {
  return htmlPage({ title: `${title} · media-buy-agent`, style: { href: SIGN_IN_STYLE_URL }, body });
}
