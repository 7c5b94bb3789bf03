import type { Markup } from '../console/html/markup.ts';
import { ORGANIZATION, PORTAL } from './portal-shell.tsx';
import type { PortalPage } from './portal-shell.tsx';

export interface PortalWaysIn {
  problem?: string | undefined;
  /** Whether people can sign in with their own account. */
  hasAccounts: boolean;
}

/** Where a sign-in with an account begins; below the portal. */
export const BY_ACCOUNT = '/sign-in/account';

/** Where an account or an API key is exchanged for a session. */
export function portalSignInPage({ problem, hasAccounts }: PortalWaysIn): PortalPage {
  const body = (
    <>
      <h1>Sign in to your webhooks</h1>
      {problem !== undefined && (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      <p>What was sent to your organization, how your receivers answered, and what may be sent again.</p>
      {hasAccounts && (
        <p>
          <a class="go" href={`${PORTAL}${BY_ACCOUNT}`}>
            Sign in with your account
          </a>
        </p>
      )}
      <div class="forms">
        <form class="act" method="post" action={`${PORTAL}/sign-in`}>
          <label>
            {hasAccounts ? 'Or with an API key' : 'API key'}
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

/** Which of a person's organizations the portal is to show. `fields`: what the form needs besides its choice. */
export function portalOrganizationPage(
  organizations: readonly { organization_id: string; name: string }[],
  current: string,
  fields: Markup,
): PortalPage {
  const body = (
    <>
      <h1>Your organizations</h1>
      <div class="forms">
        <form class="act" method="post" action={`${PORTAL}${ORGANIZATION}`}>
          {fields}
          <label>
            Show the webhooks of
            <select name="organization_id">
              {organizations.map(({ organization_id, name }) => (
                <option value={organization_id} selected={organization_id === current}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button>Show them</button>
        </form>
      </div>
    </>
  );
  return { title: 'Your organizations', body };
}

/** `fields`: what the form needs besides its button. */
export function portalSignOutPage(fields: Markup): PortalPage {
  const body = (
    <>
      <h1>Sign out</h1>
      <div class="forms">
        <form class="act" method="post" action={`${PORTAL}/sign-out`}>
          {fields}
          <p>
            This ends your session here. An API key stays as it is, and so does your sign-in elsewhere with your
            account.
          </p>
          <button>Sign out</button>
        </form>
      </div>
    </>
  );
  return { title: 'Sign out', body };
}
