import { mayAct } from '../../../directory/operator/operator.ts';
import { KeyFacts } from '../../../webhooks/keys/key-set.ts';
import { listKeys, revokeKey, rotateKey } from '../../operator/keys/operations.ts';
import { moveOutSecret, resealStore } from '../../operator/secret/operations.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Table } from '../parts/table.tsx';
import { Count, Said, State, When } from '../parts/words.tsx';

/** The keys that sign what the agent sends, and how they follow each other. */
export const signingKeysPage: ConsolePage = {
  path: '/keys',
  menu: 'Keys',
  async show(call) {
    const { keys } = await call.read(listKeys);
    const body = (
      <>
        <h1>Signing keys</h1>
        <p>
          {'What this agent sends is signed by these. Receivers find them in '}
          <span class="id">/.well-known/jwks.json</span>
          {', and those that are revoked in '}
          <span class="id">/.well-known/revoked-keys.json</span>
          {
            '. A general key signs the agent card, badges and calls, and all webhooks but two kinds: those in AdCP 3.0 have a key for webhooks alone, and so have the others where WEBHOOK_SIGNING_KEYS names one. The API keys of a buyer stand on that buyer’s page, those of your own programs among the people.'
          }
        </p>
        <RoleNote call={call} role={rotateKey.role} />
        <Table
          caption="Signing keys, newest first"
          rows={keys.toReversed().toSorted((a, b) => b.signs_from.localeCompare(a.signs_from))}
          empty="There is none yet: the first is made when something is signed."
          columns={[
            { heading: 'Key id', isWide: true, cell: ({ kid }) => <bdi class="id">{kid}</bdi> },
            { heading: 'Algorithm', cell: ({ alg }) => alg },
            { heading: 'Signs', cell: (key) => (key.webhooks_only === true ? 'webhooks alone' : 'general') },
            { heading: 'State', cell: ({ part }) => <State of={part} /> },
            { heading: 'Signs from', cell: ({ signs_from }) => instantOf(signs_from) },
            { heading: 'Webhooks signed, 24 h', isNumber: true, cell: ({ signed_24h }) => <Count of={signed_24h} /> },
            { heading: 'Age', cell: ({ signs_from }) => <Age since={signs_from} now={call.now} /> },
            {
              heading: 'Take back',
              cell: (key) =>
                key.revoked_at === null ? (
                  <Revoke call={call} of={key} />
                ) : (
                  <>
                    {'revoked '}
                    <When at={key.revoked_at} now={call.now} />
                  </>
                ),
            },
          ]}
        />
        <div class="forms more">
          <ActionForm call={call} operation={rotateKey} of={{}} label="Rotate">
            <h2>Rotate</h2>
            <p>
              A new key is published now and signs in ten minutes, once receivers have had time to learn of it. The one
              that signs until then stays published while its last signature is good, so that receivers refuse nothing.
              While one is upcoming already, none is made. It is a general key; those for webhooks alone follow each
              other by themselves.
            </p>
            <ChoiceField
              name="alg"
              label="Algorithm"
              choices={[['', 'as the settings say'], ...KeyFacts.shape.alg.options.map((alg) => [alg, alg] as const)]}
            />
          </ActionForm>
        </div>
        <Secret call={call} />
      </>
    );
    return { title: 'Signing keys', body };
  },
};

/** The secret that seals what is stored: keys, tokens and addresses of receivers. */
function Secret({ call }: { call: PageCall }): Markup {
  return (
    <>
      <h2>The secret that seals them</h2>
      <p>
        {'Keys and what buyers entrust are stored sealed by '}
        <span class="id">SECRET_KEY</span>
        {', a setting, of which no page shows anything.'}
      </p>
      <div class="forms more">
        <ActionForm call={call} operation={resealStore} of={{}} label="Seal anew">
          <h3>After another secret was set</h3>
          <p>
            Everything stored that a former secret sealed is sealed anew with the present one. May be repeated; what it
            answers says whether the former is needed still.
          </p>
        </ActionForm>
        <ActionForm call={call} operation={moveOutSecret} of={{}} label="Take the former secret out">
          <h3>After an upgrade from 0.1.0</h3>
          <p>
            What release 0.1.0 left of the secret among the data is taken out, the keys that it sealed there end, and
            everything is sealed anew.
          </p>
        </ActionForm>
      </div>
    </>
  );
}

function Revoke({ call, of: { kid, part } }: { call: PageCall; of: KeyFacts }): Markup {
  if (!mayAct(call.operator.role, revokeKey.role)) return <></>;
  return (
    <details>
      <summary>Revoke</summary>
      <ActionForm call={call} operation={revokeKey} of={{ kid }} label="Revoke for good" isFinal phrase={kid}>
        <p>
          <Said>{WHAT_RECEIVERS_DO[part]}</Said>
        </p>
        <p>This cannot be taken back. For a key that is merely old, rotate instead.</p>
        <WordsField name="reason" label="Reason" hint="For the record; receivers see the key id alone." isNeeded />
      </ActionForm>
    </details>
  );
}

/** By the part that the key has now. */
const WHAT_RECEIVERS_DO: Readonly<Record<KeyFacts['part'], string>> = {
  signing:
    'The next key signs from now on, without the ten minutes of notice. Receivers that verify refuse what this key has signed, webhooks under way among it, and, for up to 5 minutes, those of the next key that they do not know yet; what they refuse as failed is tried again.',
  upcoming: 'It has signed nothing yet, so that receivers refuse nothing. They drop it within 5 minutes.',
  retiring:
    'Receivers that verify refuse, within 5 minutes, whatever it has signed, webhooks under way and resent ones among them. What the present key signs is not concerned.',
  retired:
    'Its last signatures are over, so that receivers refuse nothing they would still take; from now on the list of revoked keys names it.',
  revoked: '',
};

/** Keys that the settings hold sign from the beginning, or are kept ready. */
function isInstant(at: string): boolean {
  return at > '2000' && at < '9999';
}

function instantOf(at: string): string {
  if (isInstant(at)) return `${at.slice(0, 16).replace('T', ' ')} UTC`;
  return at < '2000' ? 'ever' : 'when the settings say';
}

function Age({ since, now }: { since: string; now: number }): Markup {
  if (!isInstant(since)) return <></>;
  return <When at={since} now={now} />;
}
