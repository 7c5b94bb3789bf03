import { describe, expect, it } from 'vitest';
import { afterEvent } from '../../../src/directory/billing/apply-subscription.ts';
import type { SubscriptionEvent } from '../../../src/directory/billing/billing-provider.ts';
import { signEvent, verifyEvent } from '../../../src/directory/billing/event-signature.ts';
import { newOrganization } from '../../../src/directory/organization/organization.ts';
import type { Organization } from '../../../src/directory/organization/organization.ts';
import { resolveTier } from '../../../src/directory/organization/tier.ts';
import { organizationId } from '../../support/ids.ts';

const COMPANY = newOrganization({
  organization_id: organizationId('org_1'),
  name: 'Acme',
  state: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
});

function event(changes: Partial<SubscriptionEvent> = {}): SubscriptionEvent {
  return {
    ...{ event_id: 'evt_1', occurred_at: 1000, organization_id: organizationId('org_1'), subscription_id: 'sub_1' },
    ...{ price_id: 'p', status: 'active', ...changes },
  };
}

/** The organization after these events of its company tier, in the order they arrive. */
function after(events: SubscriptionEvent[], start: Organization = COMPANY): Organization {
  return events.reduce((row, each) => afterEvent(row, each, 'company_standard') ?? row, start);
}

const tierOf = (row: Organization) => resolveTier(row)?.tier;

describe('[R10] a subscription event', () => {
  it.each(['active', 'trialing', 'past_due'] as const)('that says %s gives the tier', (status) => {
    expect(tierOf(after([event({ status })]))).toBe('company_standard');
  });

  it.each(['canceled', 'unpaid', 'incomplete'] as const)('that says %s takes it', (status) => {
    expect(tierOf(after([event(), event({ event_id: 'evt_2', occurred_at: 2000, status })]))).toBeUndefined();
  });

  it('that comes again changes nothing, also after what came later', () => {
    const ended = after([event(), event({ event_id: 'evt_2', occurred_at: 2000, status: 'canceled' })]);
    expect(afterEvent(ended, event(), 'company_standard')).toBeUndefined();
    expect(afterEvent(ended, event({ event_id: 'evt_2', occurred_at: 2000 }), 'company_standard')).toBeUndefined();
    expect(tierOf(ended)).toBeUndefined();
  });

  it('that is older than the last one changes nothing', () => {
    const ended = after([event({ occurred_at: 2000, status: 'canceled' })]);
    expect(afterEvent(ended, event({ event_id: 'evt_0', occurred_at: 1999 }), 'company_standard')).toBeUndefined();
  });

  it('of the same second counts once each, in the order of arrival', () => {
    const both = [event({ event_id: 'a', status: 'incomplete' }), event({ event_id: 'b' })];
    expect(tierOf(after(both))).toBe('company_standard');
    expect(tierOf(after([...both, ...both]))).toBe('company_standard');
  });

  it('that ends an old subscription does not end the one that took its place', () => {
    const renewed = after([event(), event({ event_id: 'evt_2', occurred_at: 2000, subscription_id: 'sub_2' })]);
    const late = event({ event_id: 'evt_3', occurred_at: 3000, status: 'canceled' });
    expect(afterEvent(renewed, late, 'company_standard')).toBeUndefined();
    expect(tierOf(after([{ ...late, subscription_id: 'sub_2' }], renewed))).toBeUndefined();
  });

  it('puts neither a personal workspace on a company tier nor a prospect on any', () => {
    const personal = { ...COMPANY, is_personal: true };
    expect(afterEvent(personal, event(), 'company_standard')).toBeUndefined();
    expect(tierOf(afterEvent(personal, event(), 'individual_professional') ?? personal)).toBe(
      'individual_professional',
    );
    expect(afterEvent({ ...COMPANY, state: 'prospect' }, event(), 'company_standard')).toBeUndefined();
  });
});

describe('[R10] the signature of an event', () => {
  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const body = Buffer.from('{"id":"evt_1"}');
  const good = signEvent(body, 'whsec_one', NOW);

  it.each([
    ['as made', good],
    ['beside one by a secret that is being replaced', `${good},v1=${'0'.repeat(64)}`],
    ['beside one of a scheme to come', `${good},v2=abc`],
    ['five minutes old', signEvent(body, 'whsec_one', NOW - 300_000)],
  ])('is good %s', (_, header) => {
    expect(() => {
      verifyEvent(body, header, 'whsec_one', NOW);
    }).not.toThrow();
  });

  it.each([
    ['none', undefined, body],
    ['an empty one', '', body],
    ['no time', good.replace(/t=\d+,/, ''), body],
    ['no digest', good.replace(/,v1=.*/, ''), body],
    ['another time', good.replace(/t=\d+/, `t=${NOW / 1000 + 1}`), body],
    ['another body', good, Buffer.from('{"id":"evt_2"}')],
    ['another secret', signEvent(body, 'whsec_two', NOW), body],
    ['a digest cut short', good.slice(0, -2), body],
    ['one five minutes and a second old', signEvent(body, 'whsec_one', NOW - 301_000), body],
    ['one from the future', signEvent(body, 'whsec_one', NOW + 301_000), body],
  ])('is refused: %s', (_, header, bytes) => {
    expect(() => {
      verifyEvent(bytes, header, 'whsec_one', NOW);
    }).toThrow(/sign/);
  });
});
