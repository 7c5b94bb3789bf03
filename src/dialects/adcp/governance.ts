import type { JsonObject } from '../../platform/json-object.ts';
import type { GovernanceAgent } from '../../sales/account/governance.ts';
import type { Release } from './release.ts';

/** Who judges what is bought under an account. 3.1 has words for one agent that judges everything, and for no others. Pure. */
export function publicGovernance(agents: readonly GovernanceAgent[] | undefined, release: Release): JsonObject {
  if (agents === undefined || agents.length === 0) return {};
  if (release === '3.0') return { governance_agents: agents };
  const [{ url, categories = [] } = { url: '' }, ...others] = agents;
  return others.length > 0 || categories.length > 0 ? {} : { governance_agents: [{ url }] };
}
