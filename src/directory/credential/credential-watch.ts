import type { Caller } from '../caller.ts';
import type { Clock } from '../../platform/clock.ts';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { credentialBehind } from './authentication.ts';
import { CredentialRefusal } from './credential-refusal.ts';

/**
 * Whom a credential stands for now, with nothing remembered; undefined when it is unknown, over or revoked. A token that was good
 * at `since`, in milliseconds, and has only grown old is good still, where what it came from is known here to go on.
 * @throws {AppError} `FORBIDDEN`. @throws whatever else when that cannot be found out.
 */
export type LookAgain = (credential: string, since: number) => Promise<Caller | undefined>;

export interface CredentialWatch {
  /** Says once when the credential of a caller opens nothing any more, and why. Answers how to watch no longer. */
  watch(caller: Caller, ended: (why: AppError) => void): () => void;
}

export interface CredentialWatchDeps {
  lookAgain: LookAgain;
  /** In milliseconds. */
  everyMs: number;
  clock: Clock;
  log: Logger;
}

interface Watched {
  caller: Caller;
  since: number;
  ends: Set<(why: AppError) => void>;
}

const LOOKS_AT_ONCE = 32;

/**
 * Looks at every credential with something open again and again, once for all that it has open (rule S5.streams). What cannot be
 * found out, such as while the store is away, ends nothing.
 */
export function watchCredentials({ lookAgain, everyMs, clock, log }: CredentialWatchDeps): CredentialWatch {
  const open = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  async function endOf(credential: string, { caller, since }: Watched): Promise<AppError | undefined> {
    try {
      const now = await lookAgain(credential, since);
      if (now === undefined) return new CredentialRefusal('rejected', 'this credential has ended or was revoked');
      if (now.organization_id === caller.organization_id) return undefined;
      return new AppError('FORBIDDEN', 'this credential stands for another organization by now');
    } catch (error) {
      if (error instanceof AppError && error.code === 'FORBIDDEN') return error;
      log.warn({ err: error }, 'a credential with open streams cannot be looked at');
      return undefined;
    }
  }

  async function lookAtAll(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    await eachAtOnce([...open], LOOKS_AT_ONCE, async ([credential, watched]) => {
      const why = await endOf(credential, watched);
      if (why === undefined || open.get(credential) !== watched) return;
      const { organization_id, principal_id } = watched.caller;
      const streams = watched.ends.size;
      log.info({ organization_id, principal_id, streams, code: why.code }, 'streams ended with their credential');
      for (const ended of watched.ends) ended(why);
      forget(credential);
    });
    isLooking = false;
  }

  function forget(credential: string): void {
    open.delete(credential);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(caller, ended) {
      const credential = credentialBehind(caller);
      if (credential === undefined) return () => undefined;
      const watched: Watched = open.get(credential) ?? { caller, since: clock.now(), ends: new Set() };
      open.set(credential, watched);
      watched.ends.add(ended);
      timer ??= setInterval(() => void lookAtAll(), everyMs).unref();
      return () => {
        watched.ends.delete(ended);
        if (watched.ends.size === 0 && open.get(credential) === watched) forget(credential);
      };
    },
  };
}

/** For an edge whose streams nobody looks at again. */
export const noCredentialWatch: CredentialWatch = { watch: () => () => undefined };
