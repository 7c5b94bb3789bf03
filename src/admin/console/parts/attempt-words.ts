import type { Attempt } from '../../../webhooks/delivery/delivery.ts';

/** How an attempt was answered, in a few words. Pure. */
export function attemptWords(
  attempt: Pick<Attempt, 'http_status_code' | 'error_message' | 'status'> | null | undefined,
): string {
  if (attempt === null || attempt === undefined) return '';
  const { http_status_code, error_message, status } = attempt;
  return [http_status_code, error_message ?? status].filter((part) => part !== undefined).join(' ');
}
