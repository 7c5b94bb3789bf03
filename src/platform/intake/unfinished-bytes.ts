import { addressKey } from '../client-address.ts';
import { AppError } from '../errors.ts';
import { INPUT_LIMITS } from './input-limits.ts';

/** What one process holds of bodies that have not come to their end. */
export interface UnfinishedBytes {
  /**
   * @throws {AppError} `RATE_LIMITED` where the address holds too much, `SERVICE_UNAVAILABLE` where all together do, or all
   * strangers.
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

interface Most {
  ofAddress: number;
  ofAll: number;
  /** Absent: as much as of all. */
  ofStrangers?: number;
}

const MOST: Most = {
  ofAddress: INPUT_LIMITS.unfinishedBytesPerAddress,
  ofAll: INPUT_LIMITS.unfinishedBytes,
  ofStrangers: INPUT_LIMITS.unfinishedBytesOfUnknown,
};

/** Memory is a process's own, so each process counts for itself. An IPv6 address counts as its /64. */
export function createUnfinishedBytes({ ofAddress, ofAll, ofStrangers = ofAll }: Most = MOST): UnfinishedBytes {
  const byAddress = new Map<string, number>();
  let all = 0;
  let strangers = 0;
  return {
    hold({ address, isStranger }, bytes) {
      const key = addressKey(address);
      const held = (byAddress.get(key) ?? 0) + bytes;
      if (held > ofAddress) throw refusal('RATE_LIMITED', `this address has more than ${ofAddress}`);
      if (all + bytes > ofAll) throw refusal('SERVICE_UNAVAILABLE', `this server has more than ${ofAll}`);
      if (isStranger && strangers + bytes > ofStrangers)
        throw refusal('SERVICE_UNAVAILABLE', `callers nobody knows have more than ${ofStrangers}`);
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

/** Of this process. */
export const unfinishedHere = createUnfinishedBytes();

function refusal(code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE', who: string): AppError {
  return new AppError(
    code,
    `${who} bytes of unfinished requests under way; finish those first, or send fewer at once`,
    {
      // By then all of them have ended, or were ended.
      retry_after: INPUT_LIMITS.requestMs / 1000,
    },
  );
}
