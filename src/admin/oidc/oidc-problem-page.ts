import { consolePage } from '../pages.ts';

/** A sign-in that came to nothing, in words of ours; `again` begins another. `hasLinks`: whether one-time links open the console, too. */
export function oidcProblemPage(words: string, again: string, hasLinks: boolean): string {
  const other = hasLinks
    ? '\n<p class="quiet">A <a href="/admin/sign-in">one-time link</a> opens the console, too.</p>'
    : '';
  return consolePage(
    'Sign in',
    `<h1>You are not signed in</h1>
<p>${words}</p>
<p><a class="button" href="${again}">Begin again</a></p>${other}`,
  );
}

/** The same of somebody who is signed in, and was to prove it anew: that stays as it was. `again` begins another. */
export function signInAgainProblemPage(words: string, again: string): string {
  return consolePage(
    'Sign in again',
    `<h1>You have not signed in again</h1>
<p>${words}</p>
<p><a class="button" href="${again}">Begin again</a> <a href="/admin/sign-in-again">Back</a></p>`,
  );
}
