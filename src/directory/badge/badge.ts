import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** What an agent can be verified for (rule R11). */
export const BADGE_ROLES = [
  'media-buy',
  'creative',
  'signals',
  'governance',
  'brand',
  'sponsored-intelligence',
] as const;
export const BadgeRole = z.enum(BADGE_ROLES);
export type BadgeRole = z.infer<typeof BadgeRole>;

/** A protocol release as MAJOR.MINOR. */
export const BadgeVersion = z.string().regex(/^(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})$/);

/** An agent was found to do what a role asks, in one protocol release. Known by agent URL; revoked when the agent is deleted. */
export const Badge = z.object({
  badge_id: z.string(),
  /** Canonical (see `canonicalAgentUrl`). */
  agent_url: z.string(),
  role: BadgeRole,
  version: BadgeVersion,
  status: z.enum(['earned', 'revoked']),
  /** Why it was revoked, in our words. */
  reason: z.string().nullable(),
  earned_at: z.string(),
  /** When a check last passed. */
  passed_at: z.string(),
  revoked_at: z.string().nullable(),
  revision: z.number().int(),
});
export type Badge = z.infer<typeof Badge>;

export const badges: CollectionSpec<Badge> = {
  name: 'badges',
  key: 'badge_id',
  schema: Badge,
  indexes: [{ name: 'agent', fields: ['agent_url', 'role'] }],
};

/** One row for each agent, role and release, whoever writes it. */
export function badgeId(agentUrl: string, role: BadgeRole, version: string): string {
  return createHash('sha256')
    .update(JSON.stringify([agentUrl, role, version]))
    .digest('hex');
}

/** Orders releases, older first: `3.9` before `3.10`. */
export function compareVersions(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
