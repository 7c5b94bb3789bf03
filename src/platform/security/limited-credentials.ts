import { createHash } from 'node:crypto';
import type { Budgets } from '../budget/budgets.ts';
import { takeAndTell, tellUse } from '../budget/take-and-tell.ts';
import type { Say } from '../budget/take-and-tell.ts';
import { addressKey } from '../client-address.ts';
import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { isObject } from '../json-object.ts';

/** Where a credential came from, and how the answer says what that cost. */
export interface CredentialSource {
  /** The address of the caller; '' where nobody knows. */
  address: string;
  /** Is given the headers of the budget where one counted as wrong, or is refused; default: nothing is said. */
  say?: Say;
}

/**
 * Whose a credential is; undefined when it is good for nothing.
 * @throws {AppError} `RATE_LIMITED`. @throws what the look itself throws.
 */
export type LimitedLook<T> = (credential: string, from: CredentialSource) => Promise<T | undefined>;

/** How long a credential is remembered, in milliseconds, and how many at most. */
const KNOWN = { goodMs: 86_400_000, badMs: 5_000, most: 10_000 };

/**
 * A look at credentials that costs little when they are wrong, however many come (rule S2.credentials, decision 0042). What was wrong is not looked up again for 5 s. An address has so many wrong ones a minute
 * (`failed_credentials`), over all edges; then one that has never been good here is refused without a look at store or signature,
 * whereas one that was good within a day, or is a token of somebody who had a good one from there, is looked at as ever: nobody is
 * kept out by whom they share an address with. Make one for each edge and process.
 */
export function limitedCredentials<T>(
  look: (credential: string) => Promise<T | undefined>,
  { budgets, clock }: { budgets: Budgets; clock: Clock },
): LimitedLook<T> {
  const good = rememberUntil(clock);
  const bad = rememberUntil(clock);
  /** Addresses that have used up their wrong ones. */
  const spent = rememberUntil(clock);
  /** A credential that comes many times at once is looked at once. */
  const looking = new Map<string, Promise<T | undefined>>();

  async function lookAndCount(credential: string, hash: string, from: Source): Promise<T | undefined> {
    const caller = await look(credential);
    if (caller !== undefined) {
      const holder = good.until(hash) === undefined ? holderOf(credential, from.key) : undefined;
      for (const name of [hash, holder]) if (name !== undefined) good.add(name, clock.now() + KNOWN.goodMs);
      return caller;
    }
    good.delete(hash);
    bad.add(hash, clock.now() + KNOWN.badMs);
    await count(from);
    return undefined;
  }

  /** Whoever crosses the line learns that the credential is wrong; the next one is refused. */
  async function count({ key, say }: Source): Promise<void> {
    try {
      const { left, resetSeconds } = await takeAndTell(budgets, { name: 'failed_credentials', key }, say);
      if (left === 0) spent.add(key, clock.now() + resetSeconds * 1000);
    } catch (refusal) {
      const seconds = refusal instanceof AppError ? (refusal.details.retry_after ?? 1) : 1;
      spent.add(key, clock.now() + seconds * 1000);
    }
  }

  function refusal(freeAtMs: number, say: Say): AppError {
    const refused = budgets.refusal('failed_credentials', freeAtMs);
    tellUse(budgets, 'failed_credentials', { left: 0, resetSeconds: refused.details.retry_after ?? 1 }, say);
    return refused;
  }

  return (credential, { address, say = () => undefined }) => {
    const hash = createHash('sha256').update(credential).digest('base64');
    const key = addressKey(address);
    const from = { key, say };
    if (good.until(hash) !== undefined) return lookAndCount(credential, hash, from);
    if (bad.until(hash) !== undefined) return Promise.resolve(undefined);
    const freeAtMs = spent.until(key);
    if (freeAtMs !== undefined && good.until(holderOf(credential, key) ?? '') === undefined) {
      return Promise.reject(refusal(freeAtMs, say));
    }
    let looked = looking.get(hash);
    if (looked === undefined) {
      looked = lookAndCount(credential, hash, from).finally(() => looking.delete(hash));
      looking.set(hash, looked);
    }
    return looked;
  };
}

interface Source {
  /** Names the address in the budget. */
  key: string;
  say: Say;
}

/**
 * Whom an access token says that it is for, at an address. Not verified, so it proves nothing but that the token is worth a look:
 * tokens last minutes, and each new one of a person would be a stranger.
 */
function holderOf(credential: string, from: string): string | undefined {
  const [, claims = '', signature] = credential.split('.');
  if (signature === undefined) return undefined;
  try {
    const said: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return isObject(said) && typeof said['sub'] === 'string' ? `${from} ${said['sub']}` : undefined;
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
