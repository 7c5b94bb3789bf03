import { addBuyerKey, rerollBuyerKey } from '../operator/buyers/api-keys.ts';
import type { BuyerKeyView } from '../operator/buyers/api-keys.ts';
import { createBuyersPortalLink } from '../operator/buyers/portal.ts';
import type { Json, Operation } from '../operator/operation.ts';
import { operations } from '../operator/operations.ts';
import { addOperatorKey } from '../operator/people/operator-keys.ts';
import { invitePerson } from '../operator/people/operations.ts';
import { holdSeveralBuys, releaseSeveralBuys } from '../operator/buys/several.ts';
import { moveOutSecret, resealStore } from '../operator/secret/operations.ts';
import type { Resealed } from '../operator/secret/resealed.ts';
import { createLink } from '../operator/sign-in/operations.ts';
import { testOneRegistration } from '../operator/webhooks/registrations.ts';
import { firstCall } from './first-call.ts';
import type { Child, Markup } from './html/markup.ts';
import { SeveralResult, severalTitle } from './pages/several-buys.tsx';
import { Facts } from './parts/table.tsx';
import { TestedEvent } from './parts/tested-event.tsx';
import { ToCopy } from './parts/to-copy.tsx';
import { Count, Day, IdLink, pageOfId, Said } from './parts/words.tsx';

/** Where it is shown. */
interface Place {
  /** The agent's origin. */
  baseUrl: string;
  /** The page that the form was on. */
  back: string;
}

interface Once {
  title: string;
  body: Markup;
}

/** What becomes of an answer that is a secret, or tells how what was done went, by operation. */
const SHOWN = new Map<Operation, (answer: Json, place: Place) => Once>([
  showing(addBuyerKey, (answer, { baseUrl }) => ({
    title: 'The new API key',
    body: <NewBuyerKey of={answer} baseUrl={baseUrl} />,
  })),
  showing(rerollBuyerKey, ({ former, ...answer }, { baseUrl }) => ({
    title: 'The new API key',
    body: <NewBuyerKey of={answer} former={former} baseUrl={baseUrl} />,
  })),
  showing(addOperatorKey, ({ key, name, operator_key_id, role, expires_at }, { baseUrl, back }) => ({
    title: 'The new operator key',
    body: (
      <Shown back={back} secret={key} what="key of the operator API">
        <h2>Try it</h2>
        <p>Counts what waits for somebody:</p>
        <ToCopy id="call" what="the line" isOnce>
          {`curl -sS ${baseUrl}/api/operator/overview -H 'Authorization: Bearer ${key}'`}
        </ToCopy>
        <h2>What it is</h2>
        <Facts
          of={[
            ['Name', <Said>{name}</Said>],
            ['Key’s id', <IdLink of={operator_key_id} />],
            ['Role', role],
            ['Ends', expires_at === null ? 'not by itself' : <Day at={expires_at} />],
          ]}
        />
      </Shown>
    ),
  })),
  showing(invitePerson, ({ name, role, email, sign_in_url }, { back }) => ({
    title: 'The invitation',
    body:
      sign_in_url === null ? (
        <>
          <h1>The invitation</h1>
          <p class="note">
            <Said>{name}</Said>
            {` signs in at the identity provider as ${email ?? ''}; one-time links are switched off.`}
          </p>
          <Back to={back} />
        </>
      ) : (
        <Shown back={back} secret={sign_in_url} what="invitation">
          <p>
            {'It signs '}
            <Said>{name}</Said>
            {` in once, within 24 hours, as ${role}. Send it to nobody else.`}
          </p>
        </Shown>
      ),
  })),
  showing(createBuyersPortalLink, ({ portal_url }, { back }) => ({
    title: 'The link into the portal',
    body: (
      <Shown back={back} secret={portal_url} what="link into the buyers’ portal">
        <p>
          It lets one browser in, within 15 minutes. Send it to somebody of theirs alone; a mail scanner that looks at
          it does not use it up.
        </p>
      </Shown>
    ),
  })),
  showing(createLink, ({ sign_in_url }, { back }) => ({
    title: 'The sign-in link',
    body: (
      <Shown back={back} secret={sign_in_url} what="sign-in link">
        <p>It signs in once, within 15 minutes. Send it to nobody else.</p>
      </Shown>
    ),
  })),
  showing(holdSeveralBuys, (answer, { back }) => ({
    title: severalTitle('Held', answer),
    body: <SeveralResult did="Held" answer={answer} back={back} />,
  })),
  showing(releaseSeveralBuys, (answer, { back }) => ({
    title: severalTitle('Released', answer),
    body: <SeveralResult did="Released" answer={answer} back={back} />,
  })),
  showing(testOneRegistration, (answer, { back }) => ({
    title: 'Test event',
    body: (
      <>
        <TestedEvent of={answer} receiver="The receiver" />
        <p class="pages">
          <a href={back}>Back</a>
        </p>
      </>
    ),
  })),
  showing(moveOutSecret, (answer, { back }) => ({
    title: 'Sealed anew',
    body: <SealedAnew of={answer} back={back} />,
  })),
  showing(resealStore, (answer, { back }) => ({ title: 'Sealed anew', body: <SealedAnew of={answer} back={back} /> })),
]);

// Its form would be answered by a redirect, and the secret lost.
for (const operation of operations)
  if (operation.hasSecret === true && !SHOWN.has(operation))
    throw new Error(`no page shows the secret that ${operation.path} answers`);

/** The page that shows what an operation made or did, this once; undefined for one that is answered by a redirect. */
export function shownOnce(operation: Operation, answer: Json, place: Place): Once | undefined {
  return SHOWN.get(operation)?.(answer, place);
}

function showing<P, Q, B, A extends Json>(
  operation: Operation<P, Q, B, A>,
  show: (answer: A, place: Place) => Once,
): [Operation, (answer: Json, place: Place) => Once] {
  return [operation, (answer, place) => show(operation.answer.parse(answer), place)];
}

function NewBuyerKey({
  of: { key, name, api_key_id, scopes, expires_at, organization_id },
  former,
  baseUrl,
}: {
  of: BuyerKeyView & { key: string };
  /** What it was made anew from. */
  former?: BuyerKeyView;
  baseUrl: string;
}): Markup {
  const call = firstCall({ baseUrl, key, scopes });
  const facts: [string, Child][] = [
    ['Name', <Said>{name}</Said>],
    ['Key’s id', <IdLink of={api_key_id} />],
    ['Whose', <IdLink of={organization_id} />],
    ['May', scopes.join(', ')],
    ['Ends', expires_at === null ? 'not by itself' : <Day at={expires_at} />],
    ['A2A', `${baseUrl}/.well-known/agent-card.json`],
    ['MCP', `${baseUrl}/mcp`],
  ];
  return (
    <Shown back={`/admin${pageOfId('/buyers', organization_id)}`} secret={key} what="API key">
      {former !== undefined && (
        <p>
          {`The key …${former.key_hint} is good until `}
          {former.expires_at === null ? 'it is revoked' : <Day at={former.expires_at} />}
          {', and opens nothing from then on.'}
        </p>
      )}
      {call !== undefined && (
        <>
          <h2>Try it</h2>
          <p>{`${call.does} It works as it stands, in a shell:`}</p>
          <ToCopy id="call" what="the line" isOnce>
            {call.curl}
          </ToCopy>
        </>
      )}
      <h2>What it is</h2>
      <Facts of={facts} />
    </Shown>
  );
}

function Shown({
  what,
  secret,
  back,
  children,
}: {
  what: string;
  secret: string;
  back: string;
  children?: Child;
}): Markup {
  return (
    <>
      <h1>{`The new ${what}, shown this once`}</h1>
      <p class="note" role="status">
        Copy it now, and keep it where secrets are kept. What is stored here does not give it back, and no page shows it
        again.
      </p>
      <ToCopy id="secret" what="it" isOnce>
        {secret}
      </ToCopy>
      {children}
      <Back to={back} />
    </>
  );
}

function SealedAnew({ of: { was_in_store, rows, stuck, unread }, back }: { of: Resealed; back: string }): Markup {
  return (
    <>
      <h1>Sealed anew</h1>
      <p class="note" role="status">
        {stuck + unread === 0
          ? 'No row is sealed by a former secret any more. Refresh tokens that were made under it, which live up to 90 days, are good as long as it stands in PREVIOUS_SECRET_KEYS.'
          : 'Some may still be sealed by a former secret: keep it in PREVIOUS_SECRET_KEYS.'}
      </p>
      <Facts
        of={[
          ['Rows sealed anew', <Count of={rows} />],
          ['Values that only a former secret opens', <Count of={stuck} />],
          ['Rows that cannot be read', <Count of={unread} />],
          ['The secret of 0.1.0 lay among the data', was_in_store && 'until now'],
        ]}
      />
      <p class="pages">
        <a href={back}>Back</a>
      </p>
    </>
  );
}

function Back({ to }: { to: string }): Markup {
  return (
    <p class="pages">
      <a href={to}>I have it; back</a>
    </p>
  );
}
