import type { Budgets } from '../budget/budgets.ts';
import { addressKey } from '../client-address.ts';
import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { INPUT_LIMITS } from './input-limits.ts';

/** What one process holds of bodies that have not come to their end. */
export interface UnfinishedBytes {
  /**
   * @throws {AppError} `RATE_LIMITED` where the address is over its budget (`unfinished_bytes`), `SERVICE_UNAVAILABLE` where all
   * together hold too much, or all strangers.
   */
  hold(from: ByteHolder, bytes: number): void;
  letGo(from: ByteHolder, bytes: number): void;
  /** Bytes held now. */
  held(): number;
}

/** Whose a body is. */
export interface ByteHolder {
  address: string;
  /** Whether nobody has looked yet at who calls, or nobody will: what such bodies leave is for those who are known. */
  isStranger: boolean;
}

export interface UnfinishedBytesOptions {
  /** Whose budget of an address counts; absent: addresses have none, as where whoever sends has shown a token before. */
  budgets?: Pick<Budgets, 'size' | 'refusal'>;
  clock: Clock;
  /** Default: {@link INPUT_LIMITS}. */
  ofAll?: number;
  /** Default: {@link INPUT_LIMITS}, and no more than of all. */
  ofStrangers?: number;
}

/** Memory is a process's own, so each process counts for itself. An IPv6 address counts as its /64. */
export function createUnfinishedBytes({
  budgets,
  clock,
  ofAll = INPUT_LIMITS.unfinishedBytes,
  ofStrangers = Math.min(ofAll, INPUT_LIMITS.unfinishedBytesOfUnknown),
}: UnfinishedBytesOptions): UnfinishedBytes {
  const ofAddress = budgets?.size('unfinished_bytes') ?? Infinity;
  const byAddress = new Map<string, number>();
  let all = 0;
  let strangers = 0;
  return {
    hold({ address, isStranger }, bytes) {
      const key = addressKey(address);
      const held = (byAddress.get(key) ?? 0) + bytes;
      // By then all of them have ended, or were ended.
      if (budgets !== undefined && held > ofAddress)
        throw budgets.refusal('unfinished_bytes', clock.now() + INPUT_LIMITS.requestMs);
      if (all + bytes > ofAll) throw full(`this server has more than ${ofAll}`);
      if (isStranger && strangers + bytes > ofStrangers)
        throw full(`callers nobody knows have more than ${ofStrangers}`);
      byAddress.set(key, held);
      all += bytes;
      if (isStranger) strangers += bytes;
    },
    letGo({ address, isStranger }, bytes) {
      const key = addressKey(address);
      const held = (byAddress.get(key) ?? 0) - bytes;
      if (held > 0) byAddress.set(key, held);
      else byAddress.delete(key);
      all -= bytes;
      if (isStranger) strangers -= bytes;
    },
    held: () => all,
  };
}

function full(who: string): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `${who} bytes of unfinished requests under way; finish those first, or send fewer at once`,
    { retry_after: INPUT_LIMITS.requestMs / 1000 },
  );
}
