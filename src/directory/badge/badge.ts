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
export const BadgeVersion = z
  .string()
  .regex(/^(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})$/, 'send a release as two numbers, such as 3.1');

/**
 * `declared`: the agent says so. `protected`: there is somebody who asks for a credential, as its card says. `verified`: calls of
 * the role were seen to be answered rightly (rule R11.verified).
 */
export const BadgeStep = z.enum(['declared', 'protected', 'verified']);
export type BadgeStep = z.infer<typeof BadgeStep>;

/** What rows hold of it; `protected` is told by the proof, so that earlier releases read what is stored. */
export const StoredStep = z.enum(['declared', 'verified']);
export type StoredStep = z.infer<typeof StoredStep>;

/** What was seen: a call of the role was answered by its schema; or refused for want of a credential, in the way that the agent's card says. */
export const BadgeProof = z.enum(['answered', 'asks_for_credential']);
export type BadgeProof = z.infer<typeof BadgeProof>;

/** An agent says, or was seen, to do what a role asks, in one protocol release. Known by agent URL; revoked when the agent is deleted. */
export const Badge = z.object({
  badge_id: z.string(),
  /** Canonical (see `canonicalAgentUrl`). */
  agent_url: z.string(),
  role: BadgeRole,
  version: BadgeVersion,
  status: z.enum(['earned', 'revoked']),
  /** Absent in rows of 0.1.0, of which nobody knows more than what the agent says. */
  step: StoredStep.optional(),
  proof: BadgeProof.nullable().optional(),
  /** Why it was revoked, or is declared and no more, in our words. */
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

/** A step as it is stored, with its proof. */
export interface Stored {
  step?: StoredStep | undefined;
  proof?: BadgeProof | null | undefined;
}

/** The step that is stored. Earlier releases called verified what only asks for a credential. */
export function stepOf({ step = 'declared', proof }: Stored): BadgeStep {
  return proof === 'asks_for_credential' ? 'protected' : step;
}

/** The step of a badge that is earned; absent for one that is not. */
export function earnedStep({ status, ...stored }: Stored & Pick<Badge, 'status'>): BadgeStep | undefined {
  return status === 'earned' ? stepOf(stored) : undefined;
}

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
