import type { JsonObject } from '../../../platform/json-object.ts';
import type { ImpairmentView } from '../../../sales/impairment/impairment-view.ts';

/** Reasons of ours under their public names; those not named have the same. */
const REASONS: Readonly<Record<string, string>> = {
  brand_safety: 'policy_violation',
  fraud: 'policy_violation',
  archived: 'seller_removed',
  property_unavailable: 'property_depublished',
  stopped_by_seller: 'seller_removed',
};

/** What impairs a buy in public words; what is none of the resources that it knows is left to `health`. Pure. */
export function publicImpairments(impairments: readonly ImpairmentView[]): JsonObject[] {
  return impairments.flatMap(({ latency_class: _class, ...one }) => {
    if (one.resource_type !== 'creative' && one.resource_type !== 'property') return [];
    return [{ ...one, transition: transitionOf(one), reason_code: REASONS[one.reason_code] ?? one.reason_code }];
  });
}

function transitionOf({ resource_type, transition }: Omit<ImpairmentView, 'latency_class'>): JsonObject {
  const to = resource_type === 'property' ? 'depublished' : transition.to === 'suspended' ? 'suspended' : 'rejected';
  return { ...(transition.from !== undefined && { from: transition.from }), to };
}
