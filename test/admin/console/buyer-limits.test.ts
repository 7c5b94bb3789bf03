import { expect, it } from 'vitest';
import { limitFacts } from '../../../src/admin/console/pages/buyer-limits.tsx';
import type { BuyerLimitsView } from '../../../src/admin/operator/buyers/limits.ts';
import { organizationId } from '../../support/ids.ts';

it('[B3.credit] what is left of a credit is said, or why nobody says', () => {
  const unknown = { currency: 'USD', credit: 100, committed: null, left: null };
  const words = (credit_in_use: BuyerLimitsView['credit_in_use']) => {
    const organization_id = organizationId('org_1');
    const facts = limitFacts({ organization_id, approval_over: {}, credit: { USD: 100 }, credit_in_use });
    return new Map(facts).get('Credit');
  };
  expect(words([{ currency: 'USD', credit: 100, committed: 40, left: 60 }])).toBe(
    '100.00 USD, of which 60.00 USD is left',
  );
  expect(words([{ ...unknown, not_known: 'unreadable' }])).toContain('since a media buy cannot be read');
  expect(words([{ ...unknown, not_known: 'too_many' }])).toContain('more than 1,000 media buys are not over');
});
