import { SCOPE_MEANINGS, SCOPES } from '../../../directory/caller.ts';
import { toTimestamp } from '../../../platform/clock.ts';
import { DAY_MS } from '../../../platform/hours.ts';
import { addBuyerKey } from '../../operator/buyers/api-keys.ts';
import { showBuyer } from '../../operator/buyers/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { ChoiceField, LineField, SeveralField } from '../parts/fields.tsx';
import { Said } from '../parts/words.tsx';

const LIVES = [
  [30, 'in 30 days'],
  [90, 'in 90 days'],
  [365, 'in a year'],
] as const;

/** Where a key is made for a buyer. */
export const newBuyerKeyPage: ConsolePage = {
  path: '/buyers/:organization_id/keys/new',
  role: addBuyerKey.role,
  async show(call) {
    const { organization_id = '' } = call.params;
    const { name } = await call.read(showBuyer, { params: { organization_id } });
    const ends = LIVES.map(([days, label]) => [toTimestamp(call.now + days * DAY_MS), label] as const);
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/buyers">Buyers</a>
          {' / '}
          <a href={`/admin/buyers/${encodeURIComponent(organization_id)}`}>{organization_id}</a>
          {' / new API key'}
        </p>
        <h1>
          {'A new API key for '}
          <Said>{name}</Said>
        </h1>
        <div class="forms">
          <ActionForm call={call} operation={addBuyerKey} of={{ organization_id }} label="Make the key" needs="scopes">
            <LineField name="name" label="Name" hint="What it is for, such as: trafficking, production." isNeeded />
            <SeveralField
              name="scopes"
              label="It may"
              choices={SCOPES.map((scope) => [scope, SCOPE_MEANINGS[scope]] as const)}
            />
            <ChoiceField
              name="expires_at"
              label="It ends"
              choices={[...ends, ['', 'not by itself']]}
              {...(ends[1] && { chosen: ends[1][0] })}
            />
            <p>The next page shows the key, once, with a line to try it.</p>
          </ActionForm>
        </div>
      </>
    );
    return { title: `New API key for ${name}`, body };
  },
};
