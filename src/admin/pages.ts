import { htmlPage } from '../platform/html-page.ts';

/** The console's own pages: no script, nothing loaded from elsewhere. */

/** Shown wherever a person is not signed in. `linkCommand`, when given, is what makes a new link. */
export function signInPage(linkCommand: string | undefined): string {
  const how =
    linkCommand === undefined
      ? 'an operator makes one.'
      : `npm start prints one where only its own machine reaches it, and this command makes one:</p><pre>${escapeHtml(linkCommand)}</pre><p>`;
  return page(
    'Sign in',
    `<h1>Sign in to the console</h1>
<p>The console opens with a one-time link: ${how}</p>
<p class="quiet">A link works once and for 15 minutes. A link you have used before, or an old one, leads here.</p>`,
  );
}

/** Asks whoever opened a link whether to use it up. */
export function confirmSignInPage(name: string, token: string): string {
  return page(
    'Sign in',
    `<h1>Sign in to the console</h1>
<p>This link signs you in as <bdi>${escapeHtml(name)}</bdi>, once.</p>
<form method="post" action="/admin/sign-in"><input type="hidden" name="token" value="${escapeHtml(token)}">
<button>Sign in</button></form>`,
  );
}

export function signOutPage(): string {
  return page(
    'Sign out',
    `<h1>Sign out</h1>
<p>This ends your session on this server.</p>
<form method="post" action="/admin/sign-out"><button>Sign out</button> <a href="/admin">Stay signed in</a></form>`,
  );
}

export function signedOutPage(): string {
  return page('Signed out', '<h1>You are signed out</h1><p>To come back, use a new one-time link.</p>');
}

export function refusalPage(): string {
  return page(
    'Refused',
    '<h1>Refused</h1><p>This change was asked for by another site, or by something that does not say where it comes from. Make it on the console itself.</p>',
  );
}

/** For a form that the gate refuses. */
export function refusedFormPage(why: string): string {
  return page('Refused', `<h1>Refused</h1><p>${escapeHtml(why)}.</p>`);
}

function page(title: string, body: string): string {
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
button { font: inherit; padding: .5rem 1.1rem; margin-right: .75rem; border: 0; border-radius: .4rem; background: var(--accent); color: var(--card); cursor: pointer; }
`;

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
