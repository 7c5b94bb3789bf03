import { z } from 'zod';
import { operation } from '../operation.ts';
import { InstallationFinding, SettingView } from './installation.ts';

/** All parts, the worst first. */
export const examine = operation({
  method: 'get',
  path: '/doctor',
  summary: 'Examine the installation: what does not work, or soon will not, and what to do about it.',
  role: 'viewer',
  answer: z.object({
    /** Whether nothing is an error. */
    is_well: z.boolean(),
    findings: z.array(InstallationFinding),
  }),
  async handle(_input, { installation }) {
    const findings = (await installation.examine()).sort((a, b) => RANK[a.level] - RANK[b.level]);
    return { is_well: findings.every(({ level }) => level !== 'error'), findings };
  },
});

const RANK: Readonly<Record<InstallationFinding['level'], number>> = { error: 0, warning: 1, ok: 2 };

/** No secret is among them. */
export const listSettings = operation({
  method: 'get',
  path: '/settings',
  summary: 'Show every setting as it was given, what the rest default to, and which versions run.',
  role: 'viewer',
  answer: z.object({ settings: z.array(SettingView), versions: z.record(z.string(), z.string()) }),
  async handle(_input, { installation }) {
    return { settings: [...installation.settings], versions: { ...(await installation.versions()) } };
  },
});
