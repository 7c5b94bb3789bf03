import { CONTRACT } from './requirements/contract.ts';
import { CONTRACT_REGISTRY } from './requirements/contract-registry.ts';
import { DECISIONS } from './requirements/decisions.ts';
import type { Requirement } from './requirements/row.ts';

/** Every rule the product must keep. Tests name the rules they prove in their titles, as in `[W7] retries …`. */
export const REQUIREMENTS: readonly Requirement[] = [...CONTRACT, ...CONTRACT_REGISTRY, ...DECISIONS];
