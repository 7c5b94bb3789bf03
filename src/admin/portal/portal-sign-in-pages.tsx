import type { Markup } from '../console/html/markup.ts';
import { PORTAL } from './portal-shell.tsx';
import type { PortalPage } from './portal-shell.tsx';

/** Where an API key is exchanged for a session. */
export function portalSignInPage({ problem }: { problem?: string | undefined } = {}): PortalPage {
  const body = (
    <>
      <h1>Sign in to your webhooks</h1>
      {problem !== undefined && (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      <p>What was sent to your organization, how your receivers answered, and what may be sent again.</p>
      <div class="forms">
        <form class="act" method="post" action={`${PORTAL}/sign-in`}>
          <label>
            API key
            <span class="quiet">With the scope webhooks:read; to send anything again, webhooks:write, too.</span>
            <input type="password" name="api_key" required maxlength={256} autocomplete="off" spellcheck="false" />
          </label>
          <button>Sign in</button>
        </form>
      </div>
    </>
  );
  return { title: 'Sign in', body };
}

/** Where a one-time link leads: looking at it, as mail scanners do, uses nothing up. */
export function portalLinkPage({ link, name }: { link: string; name: string }): PortalPage {
  const body = (
    <>
      <h1>Your webhooks</h1>
      <p>
        {'This link opens the portal of '}
        <bdi>{name}</bdi>
        {' once, in this browser.'}
      </p>
      <div class="forms">
        <form class="act" method="post" action={`${PORTAL}/sign-in`}>
          <input type="hidden" name="link" value={link} />
          <button>Sign in</button>
        </form>
      </div>
    </>
  );
  return { title: 'Sign in', body };
}

/** `fields`: what the form needs besides its button. */
export function portalSignOutPage(fields: Markup): PortalPage {
  const body = (
    <>
      <h1>Sign out</h1>
      <div class="forms">
        <form class="act" method="post" action={`${PORTAL}/sign-out`}>
          {fields}
          <p>This ends your session here; the API key stays as it is.</p>
          <button>Sign out</button>
        </form>
      </div>
    </>
  );
  return { title: 'Sign out', body };
}
