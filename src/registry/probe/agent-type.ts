import type { AgentType } from '../../directory/agent/agent.ts';

/**
 * By which task names an agent's type is known, the more telling ones first (rule R12). Names count only when exact.
 */
const TELLING: readonly [AgentType, readonly string[]][] = [
  [
    'sales',
    ['get_products', 'create_media_buy', 'update_media_buy', 'get_media_buy_delivery', 'list_authorized_properties'],
  ],
  ['signals', ['get_signals', 'activate_signal']],
  [
    'governance',
    [
      'check_governance',
      'sync_plans',
      'report_plan_outcome',
      'create_property_list',
      'get_property_list',
      'list_content_standards',
      'calibrate_content',
      'validate_content_delivery',
    ],
  ],
  ['creative', ['build_creative', 'preview_creative', 'list_creative_formats', 'list_creatives', 'sync_creatives']],
  ['brand', ['get_brand_identity', 'get_rights', 'acquire_rights', 'update_rights']],
];

/** What an agent does, by the tasks it declares; `unknown` when none of them tells. */
export function typeOf(taskNames: readonly string[]): AgentType {
  const names = new Set(taskNames);
  return TELLING.find(([, telling]) => telling.some((name) => names.has(name)))?.[0] ?? 'unknown';
}
