import { AppError } from '../errors.ts';
import type { SecurityKind } from './security-kinds.ts';
import type { SecurityFacts, SecurityLog } from './security-log.ts';

/** Puts on record that somebody known was refused, where that is what an error says; its text is ours, and no secret. */
export function recordRefusal(security: SecurityLog, error: unknown, facts: SecurityFacts): void {
  const kind = error instanceof AppError ? KINDS[error.code] : undefined;
  if (kind !== undefined) security.record(kind, { ...facts, reason: (error as AppError).message });
}

const KINDS: Readonly<Partial<Record<string, SecurityKind>>> = {
  FORBIDDEN: 'access.refused',
  ADDRESS_REFUSED: 'address.refused',
};
