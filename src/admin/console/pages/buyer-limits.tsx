import { shownAmount } from '../../../platform/money.ts';
import { amountsText, MOST_SUMMED, setBuyerLimits } from '../../operator/buyers/limits.ts';
import type { BuyerLimitsView } from '../../operator/buyers/limits.ts';
import type { PageCall } from '../console-page.ts';
import type { Child, Markup } from '../html/markup.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { LineField } from '../parts/fields.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts } from '../parts/table.tsx';

const UNKNOWN = {
  unreadable: 'nobody knows what is left, since a media buy cannot be read',
  too_many: `it is not shown what is left, since more than ${MOST_SUMMED.toLocaleString('en')} media buys are not over; each that is asked for is held to it all the same`,
};

/** What is set for this buyer alone, as facts: nothing where nothing is. */
export function limitFacts({
  approval_over,
  credit_in_use,
}: BuyerLimitsView): (readonly [name: string, value: Child])[] {
  const own = Object.entries(approval_over).map(([currency, amount]) => shownAmount(amount, currency));
  const credit = credit_in_use.map(
    ({ currency, credit: of, left, not_known }) =>
      `${shownAmount(of, currency)}, of which ${left === null ? UNKNOWN[not_known ?? 'unreadable'] : `${shownAmount(left, currency)} is left`}`,
  );
  return [
    ['A person is asked over', own.length > 0 && `${own.join(', ')}, for this buyer alone`],
    ['Credit', credit.length > 0 && credit.join('; ')],
  ];
}

/** The buyer's own limits, and the form that sets them. */
export function LimitsSection({ call, limits }: { call: PageCall; limits: BuyerLimitsView }): Markup {
  const { organization_id, approval_over, credit } = limits;
  const facts = limitFacts(limits).filter(([, value]) => value !== false);
  return (
    <>
      <h2>Limits</h2>
      {facts.length === 0 ? (
        <p class="quiet">
          {'None of its own: '}
          <a href="/admin/settings">the settings</a>
          {' say when a person is asked, and it may book without bound.'}
        </p>
      ) : (
        <Facts of={facts} />
      )}
      <RoleNote call={call} role={setBuyerLimits.role} />
      <div class="forms">
        <ActionForm call={call} operation={setBuyerLimits} of={{ organization_id }} label="Set limits">
          <LineField
            name="approval_over"
            label="A person is asked over"
            hint="Such as USD:100000,EUR:90000, in place of the setting for these currencies; none: as the setting says."
            value={amountsText(approval_over)}
          />
          <LineField
            name="credit"
            label="Credit"
            hint="What the budgets of its open media buys, those that are not over, may come to together, such as USD:500000, and nothing in other currencies then; none: without bound. What is booked stays."
            value={amountsText(credit)}
          />
        </ActionForm>
      </div>
    </>
  );
}
