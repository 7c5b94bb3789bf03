import { z } from 'zod';
import { operation } from '../operation.ts';

/** What was found of one part of the installation, and what to do about it. */
export const Finding = z.object({
  /** In a word or two; two findings may be of one part. */
  part: z.string(),
  /** `error`: something does not work, or loses what it must not. `warning`: it will, or it could be better. */
  level: z.enum(['ok', 'warning', 'error']),
  found: z.string(),
  /** Null where there is nothing to do. */
  advice: z.string().nullable(),
});
export type Finding = z.infer<typeof Finding>;

/** A setting as it was given to the process that answers. */
export const SettingView = z.object({
  name: z.string(),
  /** As given; null where it was not, and of a secret. Of a URL the host alone. */
  value: z.string().nullable(),
  is_set: z.boolean(),
  is_secret: z.boolean(),
  /** What it does, and what holds where it is not set. */
  about: z.string(),
});
export type SettingView = z.infer<typeof SettingView>;

/** What this installation is made of, as the process that answers knows it. */
export interface Installation {
  examine(): Promise<Finding[]>;
  settings: readonly SettingView[];
  versions: () => Promise<Readonly<Record<string, string>>>;
}

/** All parts, the worst first. */
export const examine = operation({
  method: 'get',
  path: '/doctor',
  summary: 'Examine the installation: what does not work, or soon will not, and what to do about it.',
  role: 'viewer',
  answer: z.object({
    /** Whether nothing is an error. */
    is_well: z.boolean(),
    findings: z.array(Finding),
  }),
  async handle(_input, { installation }) {
    const findings = (await installation.examine()).sort((a, b) => RANK[a.level] - RANK[b.level]);
    return { is_well: findings.every(({ level }) => level !== 'error'), findings };
  },
});

const RANK: Readonly<Record<Finding['level'], number>> = { error: 0, warning: 1, ok: 2 };

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
