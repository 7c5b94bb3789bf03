import type { RegistrationOf, WebhookMode } from './registration.ts';
import { RECEIVER_SCHEMES } from './schemes/index.ts';

const MIN_SECRET_LENGTH = 32;

/**
 * Refuses what would let anybody in: no secret, one under 32 characters, or one repeated character (rule W4).
 * @throws {RangeError} saying what is wrong, without the secret; also for a mode that is none.
 */
export function checkRegistration<Mode extends WebhookMode>(registration: RegistrationOf<Mode>): void {
  const { mode } = registration;
  if (!Object.hasOwn(RECEIVER_SCHEMES, mode)) throw new RangeError('a registration has one of the known modes');
  const secret = RECEIVER_SCHEMES[mode].secretOf(registration);
  if (secret === null) return;
  const secrets: readonly unknown[] = [secret].flat();
  const fault = secrets.length === 0 ? 'it has no secret' : secrets.map(secretFault).find((each) => each !== undefined);
  if (fault !== undefined) throw new RangeError(`this ${mode} registration lets anybody in: ${fault}`);
}

function secretFault(secret: unknown): string | undefined {
  if (typeof secret !== 'string' || secret.length < MIN_SECRET_LENGTH) {
    return `a secret has ${MIN_SECRET_LENGTH} characters or more`;
  }
  return /^(.)\1*$/s.test(secret) ? 'one repeated character is no secret' : undefined;
}
