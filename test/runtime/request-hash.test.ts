import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestHash } from '../../src/runtime/request-hash.ts';

const REQUEST = {
  buyer_ref: 'a',
  packages: [{ budget: 1.5, product_id: 'p' }],
  push_notification_config: {
    url: 'https://buyer.example/hook',
    operation_id: 'op',
    token: 'secret',
    authentication: { schemes: ['HMAC-SHA256'], credentials: 'secret' },
  },
};
const config = (changes: Record<string, unknown>) => ({
  ...REQUEST,
  push_notification_config: { ...REQUEST.push_notification_config, ...changes },
});

describe('[B7] the hash of a request', () => {
  it.each<[string, Record<string, unknown>]>([
    ['its key', { ...REQUEST, idempotency_key: 'k' }],
    ['its context', { ...REQUEST, context: { trace: 1 } }],
    ['its token', config({ token: 'other' })],
    ['no token', config({ token: undefined })],
    ['its credentials', config({ authentication: { schemes: ['HMAC-SHA256'], credentials: 'other' } })],
    ['the order of its members', Object.fromEntries(Object.entries(REQUEST).reverse())],
  ])('is the same whatever %s', (_, request) => {
    expect(requestHash('task', request)).toBe(requestHash('task', REQUEST));
  });

  it.each<[string, Record<string, unknown>]>([
    ['another value', { ...REQUEST, buyer_ref: 'b' }],
    ['a member more', { ...REQUEST, extra: null }],
    ['another URL', config({ url: 'https://buyer.example/other' })],
    ['another operation', config({ operation_id: 'other' })],
    ['another scheme', config({ authentication: { schemes: ['Bearer'], credentials: 'secret' } })],
    ['credentials outside the webhook', { ...REQUEST, packages: [{ ...REQUEST.packages[0], token: 'x' }] }],
  ])('differs with %s', (_, request) => {
    expect(requestHash('task', request)).not.toBe(requestHash('task', REQUEST));
  });

  it('differs with the task', () => {
    expect(requestHash('other', REQUEST)).not.toBe(requestHash('task', REQUEST));
  });

  it('is the same for the same JSON, and for no other', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(json, json, (a, b) => {
        const isSame = JSON.stringify(sorted(told(a))) === JSON.stringify(sorted(told(b)));
        expect(requestHash('t', a) === requestHash('t', b)).toBe(isSame);
        expect(requestHash('t', JSON.parse(JSON.stringify(a)) as typeof a)).toBe(requestHash('t', a));
      }),
    );
  });
});

function told({ idempotency_key: _key, context: _context, ...rest }: Record<string, unknown>): unknown {
  return rest;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}
