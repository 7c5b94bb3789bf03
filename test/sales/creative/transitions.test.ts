import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/platform/errors.ts';
import { Creative, CreativeStatus, MAX_EVENTS } from '../../../src/sales/creative/creative.ts';
import {
  CREATIVE_TRANSITIONS,
  isLegalCreativeTransition,
  transitionCreative,
} from '../../../src/sales/creative/transitions.ts';
import { sampleCreative } from '../support/sample-creative.ts';

const ALL = CreativeStatus.options;
const cause = { at: '2026-03-03T10:00:00.000Z', action: 'moved', actor: 'seller' } as const;

describe('[B11] the moves of a creative', () => {
  it('are exactly those of the table', () => {
    const found = ALL.flatMap((from) =>
      ALL.filter((to) => isLegalCreativeTransition(from, to)).map((to) => `${from} → ${to}`),
    );
    expect(found.sort()).toEqual(
      [
        'processing → pending_review',
        'pending_review → approved',
        'pending_review → rejected',
        'approved → suspended',
        'suspended → approved',
        ...ALL.filter((from) => from !== 'archived').map((from) => `${from} → archived`),
      ].sort(),
    );
    expect(Object.keys(CREATIVE_TRANSITIONS).sort()).toEqual([...ALL].sort());
  });

  it('keep every row valid and its history in order and bounded, whatever is tried', () => {
    const many = fc.array(fc.constantFrom(...ALL), { maxLength: 3 * MAX_EVENTS, size: 'max' });
    fc.assert(
      fc.property(many, (tried) => {
        let creative = sampleCreative({ status: 'processing' });
        for (const to of tried) {
          const before = structuredClone(creative);
          if (isLegalCreativeTransition(creative.status, to)) {
            const after = transitionCreative(creative, to, { ...cause, note: 'why', reason_code: 'fraud' });
            expect(creative).toEqual(before);
            creative = after;
          } else {
            expect(() => transitionCreative(creative, to, cause)).toThrow(AppError);
          }
        }
        expect(Creative.parse(creative)).toEqual(creative);
        creative.history.slice(1).forEach((event, i) => {
          expect(event.from_status).toBe(creative.history[i]?.to_status);
        });
        expect(creative.history.at(-1)?.to_status).toBe(creative.status);
        expect(creative.history.length).toBeLessThanOrEqual(MAX_EVENTS);
      }),
      { numRuns: 30 },
    );
  });

  it('say why a creative is out of service, and forget it when it serves again', () => {
    const suspended = transitionCreative(sampleCreative(), 'suspended', {
      ...cause,
      note: 'landing page',
      reason_code: 'fraud',
    });
    expect(suspended).toMatchObject({ status: 'suspended', status_reason: 'landing page', reason_code: 'fraud' });
    const back = transitionCreative(suspended, 'approved', { ...cause, note: 'mended' });
    expect(back).toMatchObject({ status: 'approved', status_reason: null, reason_code: null });
  });

  it('leave the buys that use the creative to be looked at again', () => {
    expect(transitionCreative(sampleCreative(), 'suspended', cause).effects_due_at).toBe(cause.at);
    const owed = sampleCreative({ effects_due_at: '2026-03-02T09:00:00.000Z' });
    expect(transitionCreative(owed, 'suspended', cause).effects_due_at).toBe('2026-03-02T09:00:00.000Z');
  });

  it('are refused with the state and what is possible', () => {
    expect(() => transitionCreative(sampleCreative(), 'rejected', cause)).toThrow(
      expect.objectContaining({
        code: 'INVALID_STATE',
        message: 'creative c1 is approved and cannot become rejected',
        details: {
          field: 'creative_id',
          suggestion: 'from approved it can become suspended, archived',
          details: { status: 'approved' },
        },
      }) as Error,
    );
  });
});
