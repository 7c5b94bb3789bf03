import { ERROR_RULES } from './requirements/errors.ts';
import { CONSOLE_RULES } from './requirements/console.ts';
import { MCP_RULES } from './requirements/mcp.ts';
import { MEDIA_BUY_RULES } from './requirements/media-buys.ts';
import { DIALECT_RULES } from './requirements/dialects.ts';
import { NAME_RULES } from './requirements/names.ts';
import { ORDER_RULES } from './requirements/orders.ts';
import { REGISTRY_API_RULES } from './requirements/registry-api.ts';
import { REGISTRY_RULES } from './requirements/registry.ts';
import type { Requirement } from './requirements/row.ts';
import { SAFETY_RULES } from './requirements/safety.ts';
import { TASK_RULES } from './requirements/tasks.ts';
import { SIGNATURE_RULES } from './requirements/webhook-signatures.ts';
import { WEBHOOK_RULES } from './requirements/webhooks.ts';

/**
 * Every rule the product must keep, in the order of `docs/rules.md`, which is written from here by
 * `npx tsx scripts/write-rules.ts`. Tests name the rules they prove in their titles, as in `[W7] retries …`.
 */
export const REQUIREMENTS: readonly Requirement[] = [
  ...NAME_RULES,
  ...DIALECT_RULES,
  ...TASK_RULES,
  ...MEDIA_BUY_RULES,
  ...ORDER_RULES,
  ...ERROR_RULES,
  ...WEBHOOK_RULES,
  ...SIGNATURE_RULES,
  ...MCP_RULES,
  ...CONSOLE_RULES,
  ...REGISTRY_RULES,
  ...REGISTRY_API_RULES,
  ...SAFETY_RULES,
];
