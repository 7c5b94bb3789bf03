import { z } from 'zod';

/** What was found of one part of the installation, and what to do about it. */
export const InstallationFinding = z.object({
  /** In a word or two; two findings may be of one part. */
  part: z.string(),
  /** `error`: something does not work, or loses what it must not. `warning`: it will, or it could be better. */
  level: z.enum(['ok', 'warning', 'error']),
  found: z.string(),
  /** Null where there is nothing to do. */
  advice: z.string().nullable(),
});
export type InstallationFinding = z.infer<typeof InstallationFinding>;

/** What is done once before an installation is used for real. */
export const SetupStep = z.object({
  step: z.string(),
  is_done: z.boolean(),
  /** Which setting, command or paper does it. */
  how: z.string(),
});
export type SetupStep = z.infer<typeof SetupStep>;

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
  examine(): Promise<InstallationFinding[]>;
  /** In the order in which one would go about it. */
  setup(): Promise<SetupStep[]>;
  settings: readonly SettingView[];
  versions: () => Promise<Readonly<Record<string, string>>>;
}
