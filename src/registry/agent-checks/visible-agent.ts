import { agents } from '../../directory/agent/agent.ts';
import type { CheckedAgent } from '../../directory/agent-check/read-checks.ts';
import { resolveTier } from '../../directory/organization/tier.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { RegistryCaller } from '../auth/caller.ts';
import { organizationsOfCaller } from '../auth/organizations-of-caller.ts';
import { visibilitiesFor } from '../look-up-operator/visible-agents.ts';

/** This house's own agent is registered with nobody, and has been there always. */
const ALWAYS = '';

/** The agent at a canonical URL, if it is registered and the caller may see it (rule R5); or this house's own, which everybody sees. */
export async function visibleAgent(
  { store, caller, ownUrl }: { store: Store; caller: RegistryCaller | undefined; ownUrl: string },
  url: string,
): Promise<CheckedAgent | undefined> {
  const [{ rows }, own] = await Promise.all([
    store.collection(agents).find({ where: { url }, limit: 1 }),
    organizationsOfCaller(store, caller),
  ]);
  if (url === ownUrl) return { url, created_at: ALWAYS };
  const agent = rows[0];
  if (agent === undefined) return undefined;
  // As among `/api/me/agents`, whatever its visibility.
  if (own.some((row) => row.organization_id === agent.organization_id)) return agent;
  const hasApiAccess = own.some((row) => resolveTier(row)?.hasApiAccess === true);
  const shown = visibilitiesFor({ hasApiAccess, isOwner: false }, 'all');
  return shown.includes(agent.visibility) ? agent : undefined;
}
