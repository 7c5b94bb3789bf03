import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventKey } from '../../../src/webhooks/envelope/event-key.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const event = fc.record({ delivery_id: fc.string(), registered_at: fc.string() });

it('[W20] the key of an event is a UUID v4, the same each time it is made', () => {
  fc.assert(
    fc.property(fc.uuid(), event, (seed, of) => {
      expect(eventKey(seed, of)).toMatch(UUID_V4);
      expect(eventKey(seed, { ...of })).toBe(eventKey(seed, of));
    }),
  );
});

it('[W20] another seed, event or registration has another key', () => {
  fc.assert(
    fc.property(fc.tuple(fc.uuid(), event), fc.tuple(fc.uuid(), event), (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      expect(eventKey(...one)).not.toBe(eventKey(...other));
    }),
  );
});

it('[W20] stays what it was in earlier releases', () => {
  const of = { delivery_id: 'd0123456789abcdef0123456789abcdef', registered_at: '2026-01-01T00:00:00.000Z' };
  expect(eventKey('6f9619ff-8b86-4d01-b42d-00cf4fc964ff', of)).toBe('127275bd-0310-43fe-b22e-e878c430c8df');
});
