import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreativeStatus } from '../../../src/sales/creative/creative.ts';
import type { Creative } from '../../../src/sales/creative/creative.ts';
import { transitionCreative } from '../../../src/sales/creative/transitions.ts';
import { findImpairments } from '../../../src/sales/impairment/detect.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { sampleCreative } from '../support/sample-creative.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

/** An active buy with one package per list of creative ids. */
function buyWith(creatives: readonly string[][], changes: Partial<MediaBuy> = {}): MediaBuy {
  const [line] = sampleMediaBuy().packages;
  if (line === undefined) throw new Error('the sample has no package');
  const packages = creatives.map((creative_ids, i) => ({ ...line, package_id: `p${i + 1}`, creative_ids }));
  return sampleMediaBuy({ packages, status: 'active', pending_reason: null, ...changes });
}

function library(states: Record<string, CreativeStatus>) {
  return (creative_id: string): Creative | undefined => {
    const status = states[creative_id];
    return status && sampleCreative({ creative_id, status });
  };
}

function found(buy: MediaBuy, states: Record<string, CreativeStatus>): string[] {
  return findImpairments(buy, library(states)).map(
    ({ resource_id, package_ids }) => `${resource_id}: ${package_ids.join(' ')}`,
  );
}

describe('[B9] [B11] what impairs a live buy', () => {
  it.each<[string, string[][], Record<string, CreativeStatus>, string[]]>([
    [
      'nothing while every package has an approved creative',
      [['a'], ['a', 'b']],
      { a: 'approved', b: 'suspended' },
      [],
    ],
    ['a suspended creative that was the only one', [['a'], ['b']], { a: 'approved', b: 'suspended' }, ['b: p2']],
    ['an archived one', [['a']], { a: 'archived' }, ['a: p1']],
    ['a rejected one', [['a']], { a: 'rejected' }, ['a: p1']],
    [
      'each creative once, with all packages it leaves unserved',
      [['a', 'b'], ['a']],
      { a: 'suspended', b: 'rejected' },
      ['a: p1 p2', 'b: p1'],
    ],
    ['a suspended one beside one still in review', [['a', 'b']], { a: 'suspended', b: 'pending_review' }, ['a: p1']],
    ['nothing where all are in review', [['a']], { a: 'processing' }, []],
    ['a package whose creatives are all taken off', [[], ['a']], { a: 'approved' }, ['p1: p1']],
    ['each package without creatives by itself', [[], ['a'], []], { a: 'suspended' }, ['a: p2', 'p1: p1', 'p3: p3']],
    ['nothing where a creative is not known', [['zz']], {}, []],
  ])('%s', (_, creatives, states, impairments) => {
    expect(found(buyWith(creatives), states)).toEqual(impairments);
  });

  it.each<[string, Partial<MediaBuy>, boolean]>([
    ['active', {}, true],
    ['paused after it ran', { status: 'paused' }, true],
    ['paused while it waited', { status: 'paused', pending_reason: 'creatives' }, false],
    ['pending', { status: 'pending', pending_reason: 'creatives' }, false],
    ['completed', { status: 'completed' }, false],
    ['canceled', { status: 'canceled' }, false],
    ['rejected', { status: 'rejected' }, false],
  ])('only while it is live: %s', (_, changes, isImpaired) => {
    expect(found(buyWith([['a']], changes), { a: 'suspended' })).toHaveLength(isImpaired ? 1 : 0);
    expect(found(buyWith([[]], changes), {})).toHaveLength(isImpaired ? 1 : 0);
  });

  it('[B9.no-creatives] names the package itself where there is no creative to name', () => {
    expect(findImpairments(buyWith([[]]), () => undefined)).toEqual([
      {
        resource_type: 'package',
        resource_id: 'p1',
        package_ids: ['p1'],
        transition: { from: 'assigned', to: 'unassigned' },
        reason_code: 'no_creatives',
        reason: 'the package has no creative',
        latency_class: 'general',
      },
    ]);
  });

  it.each([
    ['fraud', 'latency_sensitive'],
    ['brand_safety', 'latency_sensitive'],
    ['policy_violation', 'general'],
    ['seller_removed', 'general'],
  ] as const)('%s is %s', (reason_code, latency_class) => {
    const cause = { at: '2026-03-03T10:00:00.000Z', action: 'decided', actor: 'seller', note: 'why' } as const;
    const creative = transitionCreative(sampleCreative({ creative_id: 'a' }), 'suspended', { ...cause, reason_code });
    expect(findImpairments(buyWith([['a']]), () => creative)).toEqual([
      {
        resource_type: 'creative',
        resource_id: 'a',
        package_ids: ['p1'],
        transition: { from: 'approved', to: 'suspended' },
        reason_code,
        reason: 'why',
        latency_class,
      },
    ]);
  });

  it('never names a package that has an approved creative, nor a creative that is not out of service', () => {
    const ids = fc.constantFrom('a', 'b', 'c', 'd');
    const lines = fc.array(fc.uniqueArray(ids), { minLength: 1, maxLength: 6 });
    const states = fc.dictionary(ids, fc.constantFrom(...CreativeStatus.options));
    fc.assert(
      fc.property(lines, states, (creatives, statusOf) => {
        const buy = buyWith(creatives);
        const findings = findImpairments(buy, library(statusOf));
        const empty = buy.packages.filter(({ creative_ids }) => creative_ids.length === 0);
        const named = findings.filter(({ resource_type }) => resource_type === 'package');
        expect(named.map(({ resource_id }) => resource_id)).toEqual(empty.map(({ package_id }) => package_id));
        for (const { resource_type, resource_id, package_ids } of findings) {
          expect(package_ids.length).toBeGreaterThan(0);
          if (resource_type === 'package') continue;
          expect(['suspended', 'rejected', 'archived']).toContain(statusOf[resource_id]);
          for (const { package_id, creative_ids } of buy.packages) {
            const isNamed = package_ids.includes(package_id);
            if (isNamed) expect(creative_ids).toContain(resource_id);
            if (creative_ids.some((id) => statusOf[id] === 'approved')) expect(isNamed).toBe(false);
          }
        }
        expect(new Set(findings.map(({ resource_id }) => resource_id)).size).toBe(findings.length);
      }),
    );
  });
});
