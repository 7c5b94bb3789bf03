import type { InstallationFinding } from '../../admin/operator/doctor/installation.ts';

/** A part that is as it should be. */
export function ok(part: string, found: string): InstallationFinding {
  return { part, level: 'ok', found, advice: null };
}

/** What will not work, or could be better. */
export function warning(part: string, found: string, advice: string): InstallationFinding {
  return { part, level: 'warning', found, advice };
}

/** What does not work, or loses what it must not. */
export function wrong(part: string, found: string, advice: string): InstallationFinding {
  return { part, level: 'error', found, advice };
}
