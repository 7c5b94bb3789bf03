import { createHash } from 'node:crypto';
import type { Caller } from '../directory/caller.ts';
import type { Budgets } from '../platform/budget/budgets.ts';
import { addressKey } from '../platform/client-address.ts';
import type { Clock } from '../platform/clock.ts';
import { isObject } from '../platform/json-object.ts';
import { isJwt } from './authentication.ts';
import type { Credentials } from './authentication.ts';

export interface LimitedCredentialsDeps {
  budgets: Budgets;
  clock: Clock;
  /** Where the present request comes from; undefined where nobody knows. */
  address: () => string | undefined;
}

/** How long a credential is remembered, in milliseconds, and how many at most. */
const KNOWN = { goodMs: 86_400_000, badMs: 5_000, most: 10_000 };

/**
 * Credentials that cost little when they are wrong, however many come (rule S2, decision 0042). What was wrong is not looked up
 * again for 5 s. An address has so many wrong ones a minute (`failed_credentials`); then one that has never been good here is
 * refused without a look at store or signature, whereas one that was good within a day, or is a token of somebody who had a good
 * one from there, is looked at as ever: nobody is kept out by whom they share an address with.
 * @throws {AppError} `RATE_LIMITED`.
 */
export function limitedCredentials(
  credentials: Credentials,
  { budgets, clock, address }: LimitedCredentialsDeps,
): Credentials {
  const good = rememberUntil(clock);
  const bad = rememberUntil(clock);
  /** Addresses that have used up their wrong ones. */
  const spent = rememberUntil(clock);
  /** A credential that comes many times at once is looked at once. */
  const looking = new Map<string, Promise<Caller | undefined>>();

  async function look(credential: string, hash: string, from: string): Promise<Caller | undefined> {
    const caller = await credentials.authenticate(credential);
    if (caller !== undefined) {
      const holder = good.until(hash) === undefined ? holderOf(credential, from) : undefined;
      for (const name of [hash, holder]) if (name !== undefined) good.add(name, clock.now() + KNOWN.goodMs);
      return caller;
    }
    good.delete(hash);
    bad.add(hash, clock.now() + KNOWN.badMs);
    await count(from);
    return undefined;
  }

  /** Whoever crosses the line learns that the credential is wrong; the next one is refused. */
  async function count(from: string): Promise<void> {
    try {
      const { left, resetSeconds } = await budgets.take('failed_credentials', from);
      if (left === 0) spent.add(from, clock.now() + resetSeconds * 1000);
    } catch (refusal) {
      const { retry_after = 1 } = (refusal as { details?: { retry_after?: number } }).details ?? {};
      spent.add(from, clock.now() + retry_after * 1000);
    }
  }

  return {
    ...credentials,
    authenticate(credential) {
      const hash = createHash('sha256').update(credential).digest('base64');
      const from = addressKey(address() ?? '');
      if (good.until(hash) !== undefined) return look(credential, hash, from);
      if (bad.until(hash) !== undefined) return Promise.resolve(undefined);
      const freeAtMs = spent.until(from);
      if (freeAtMs !== undefined && good.until(holderOf(credential, from) ?? '') === undefined) {
        return Promise.reject(budgets.refusal('failed_credentials', freeAtMs));
      }
      let looked = looking.get(hash);
      if (looked === undefined) {
        looked = look(credential, hash, from).finally(() => looking.delete(hash));
        looking.set(hash, looked);
      }
      return looked;
    },
  };
}

/**
 * Whom an access token says that it is for, at an address. Not verified, so it proves nothing but that the token is worth a look:
 * tokens last minutes, and each new one of a person would be a stranger.
 */
function holderOf(credential: string, from: string): string | undefined {
  if (!isJwt(credential)) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString());
    return isObject(claims) && typeof claims['sub'] === 'string' ? `${from} ${claims['sub']}` : undefined;
  } catch {
    return undefined;
  }
}

/** Names, each remembered until an instant; of too many, those that came first are forgotten. */
function rememberUntil(clock: Clock) {
  const names = new Map<string, number>();
  return {
    add(name: string, untilMs: number): void {
      names.delete(name);
      const oldest = names.size >= KNOWN.most ? names.keys().next().value : undefined;
      if (oldest !== undefined) names.delete(oldest);
      names.set(name, untilMs);
    },
    /** Undefined when it is not remembered. */
    until(name: string): number | undefined {
      const until = names.get(name);
      if (until !== undefined && until <= clock.now()) names.delete(name);
      return names.get(name);
    },
    delete: (name: string) => void names.delete(name),
  };
}
