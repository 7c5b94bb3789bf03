import { z } from 'zod';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import {
  BADGE_ROLES,
  BadgeStep,
  badges,
  BadgeVersion,
  compareVersions,
  earnedStep,
} from '../../directory/badge/badge.ts';
import type { Badge, BadgeRole } from '../../directory/badge/badge.ts';
import { visibleAgent } from '../agent-checks/visible-agent.ts';
import type { EndpointCall } from '../endpoint.ts';

/** An agent's URL in a path; canonical once parsed. */
export const EncodedUrl = z
  .string()
  .max(2000, 'send at most 2000 characters')
  .transform((text, check) => {
    const url = canonicalAgentUrl(text);
    if (url !== undefined) return url;
    check.addIssue({ code: 'custom', message: 'send the URL-encoded http or https URL of an agent' });
    return z.NEVER;
  })
  .describe("The agent's URL, URL-encoded");

const Role = z.enum(BADGE_ROLES, { error: `send one of ${BADGE_ROLES.join(', ')}` });

export const UnpinnedParams = z.object({ encodedUrl: EncodedUrl, role: Role });

export const PinnedParams = UnpinnedParams.extend({
  version: BadgeVersion.describe('A protocol release as MAJOR.MINOR').meta({ example: '3.1' }),
});

/** What a badge says. */
export interface BadgeVerdict {
  agent_url: string;
  role: BadgeRole;
  version: string;
  verified: boolean;
  /** Absent where the agent has no such badge. */
  step: BadgeStep | undefined;
  /** Absent where the agent has no such badge. */
  badge: Badge | undefined;
}

/**
 * What is to be shown to everybody for an agent and a role: of an agent that is not public what is shown of one that nobody knows.
 * Without a version, for the newest release at the highest step it stands at, or else the current one. Unknown agents and
 * releases never earned are not verified (rule R11). A store that does not answer is an error, never a verdict.
 */
export async function badgeVerdict(
  { store, protocolVersion, baseUrl }: Pick<EndpointCall, 'store' | 'protocolVersion' | 'baseUrl'>,
  { encodedUrl: agent_url, role, version }: { encodedUrl: string; role: BadgeRole; version?: string },
): Promise<BadgeVerdict> {
  // Both are always asked, so that the time tells no more than the answer.
  const [{ rows }, agent] = await Promise.all([
    store.collection(badges).find({ where: { agent_url, role }, limit: 1000 }),
    visibleAgent({ store, caller: undefined, ownUrl: baseUrl() }, agent_url),
  ]);
  const earned = (agent === undefined ? [] : rows)
    .filter((row) => row.status === 'earned')
    .sort((a, b) => heightOf(a) - heightOf(b) || compareVersions(a.version, b.version));
  const shown = version ?? earned.at(-1)?.version ?? protocolVersion;
  const badge = earned.find((row) => row.version === shown);
  const step = badge && earnedStep(badge);
  return { agent_url, role, version: shown, verified: step === 'verified', step, badge };
}

/** Steps are listed from the lowest on. */
function heightOf(badge: Badge): number {
  const step = earnedStep(badge);
  return step === undefined ? -1 : BadgeStep.options.indexOf(step);
}
