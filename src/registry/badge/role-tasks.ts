import type { BadgeRole } from '../../directory/badge/badge.ts';

/** What a role asks of an agent: tasks it must declare, and the one of them that only reads, which is called. */
export interface RoleTasks {
  declares: readonly string[];
  called: string;
}

export const ROLE_TASKS: Record<BadgeRole, RoleTasks> = {
  'media-buy': { declares: ['get_products', 'create_media_buy'], called: 'get_products' },
  creative: { declares: ['list_creative_formats', 'build_creative'], called: 'list_creative_formats' },
  signals: { declares: ['get_signals'], called: 'get_signals' },
  governance: { declares: ['check_governance'], called: 'check_governance' },
  brand: { declares: ['get_brand_identity'], called: 'get_brand_identity' },
  'sponsored-intelligence': { declares: ['si_get_offering', 'si_initiate_session'], called: 'si_get_offering' },
};
