import { SHARED_KEY_NAME } from '../../directory/operator/operator.ts';
import type { Operator } from '../../directory/operator/operator.ts';
import type { HeldForm } from '../again/held-form.ts';
import { isSignInFresh } from '../operator/fresh-sign-in.ts';
import type { OperatorDeps } from '../operator/operation.ts';
import type { WaysIn } from '../pages.ts';
import { actionAt } from './actions.ts';
import { formToken } from './form-token.ts';
import { hiddenFields } from './hidden-fields.tsx';
import type { Child, Markup } from './html/markup.ts';
import { Facts } from './parts/table.tsx';
import { Said, When } from './parts/words.tsx';

interface Asked {
  operator: Operator;
  /** The cookie's value. */
  session: string;
  held: HeldForm | undefined;
  waysIn: WaysIn;
}

type Deps = Pick<OperatorDeps, 'clock' | 'freshSignInMs'>;

/** A form that asked for a sign-in of late: how to sign in again, and once that is done, the form as it was typed. */
export function signInAgainPage(deps: Deps, { held, ...asked }: Asked): { title: string; body: Markup } {
  if (held === undefined) return NOTHING;
  return isSignInFresh(deps, asked.operator) ? goOn({ ...asked, held }) : howTo(deps, { ...asked, held });
}

const NOTHING = {
  title: 'Sign in again',
  body: (
    <>
      <h1>Nothing waits for you</h1>
      <p class="note">
        A form that asks for a new sign-in is kept for half an hour, in the browser that sent it, for whoever sent it.
      </p>
      <p class="pages">
        <a href="/admin">Overview</a>
      </p>
    </>
  ),
};

type Waiting = Asked & { held: HeldForm };

function howTo({ clock, freshSignInMs }: Deps, { operator, held, waysIn }: Waiting): { title: string; body: Markup } {
  const { credential } = operator;
  const at = credential.kind === 'session' ? credential.authenticated_at : null;
  const { oidc, hasLinks, linkCommand } = waysIn;
  const person = operator.person_id === null ? '' : ` --person ${operator.person_id}`;
  return {
    title: 'Sign in again',
    body: (
      <>
        <h1>Sign in again to go on</h1>
        <p class="note" role="alert" tabindex={-1} autofocus>
          {`Nothing has been done yet. What hands out access or takes it back asks for a sign-in of the last ${freshSignInMs / 60_000} minutes`}
          {at === null ? '.' : <>{[', and yours was ', <When at={at} now={clock.now()} />, '.']}</>}
          {' What you typed is kept for half an hour, and is here again once you have signed in with this browser as '}
          <Said>{operator.name}</Said>.
        </p>
        {oidc !== undefined && operator.name !== SHARED_KEY_NAME && (
          <p>
            <a class="go" href={`${oidc.href}?again`}>{`Sign in at ${oidc.host}`}</a>
          </p>
        )}
        {hasLinks && (
          <>
            <p>
              {oidc === undefined ? 'Open a new one-time link in this browser.' : 'Or open a new one-time link here.'}
              {linkCommand === undefined ? ' An operator makes one.' : ' This command makes one:'}
            </p>
            {linkCommand !== undefined && <pre tabindex={0}>{`${linkCommand}${person}`}</pre>}
          </>
        )}
        <h2>What you typed</h2>
        <Typed of={held} />
        <p class="pages">
          <a href={held.back}>Back, and do nothing</a>
        </p>
      </>
    ),
  };
}

function goOn({ session, held }: Waiting): { title: string; body: Markup } {
  const { path, click, back, phrase } = held;
  const token = formToken(session, path, phrase);
  return {
    title: 'Go on',
    body: (
      <>
        <h1>Go on where you were</h1>
        <p class="note" role="status" tabindex={-1} autofocus>
          You have signed in. Nothing has been done yet.
        </p>
        <Typed of={held} />
        <div class="forms">
          <form class="act" method="post" action={`/admin/do${path}`}>
            {hiddenFields({ token, click, back, phrase, typed: phrase, held: 'yes' })}
            <button>Do it now</button>
            <p>
              <a href={back}>Back, and do nothing</a>
            </p>
          </form>
        </div>
      </>
    ),
  };
}

function Typed({ of: { path, body } }: { of: HeldForm }): Markup {
  const { operation, params } = actionAt(path);
  const said = Object.entries({ ...params, ...body }).map(([name, value]): [string, Child] => [
    name.replaceAll('_', ' '),
    <Said>{value === true ? 'yes' : [value].flat().join(', ')}</Said>,
  ]);
  return <Facts of={[['What', operation.summary], ...said]} />;
}
