import { createHash, timingSafeEqual } from 'node:crypto';

/** A person who can sign in. */
export interface Account {
  /** Names the person in tokens, for good. */
  subject: string;
  /** Lower case, and theirs. */
  email: string;
}

/** Who knows people by their passwords. */
export interface IdentityProvider {
  /** Undefined when address and password do not belong together; nothing says which of them is wrong. */
  signIn(email: string, password: string): Promise<Account | undefined>;
  /** The person of a token's subject, while they have an account. */
  find(subject: string): Promise<Account | undefined>;
}

export interface DevelopmentAccount {
  email: string;
  password: string;
}

/**
 * Accounts from the configuration, for development and demonstrations. They live in memory alone, so passwords are
 * compared and never stored. Undefined without any: then nobody can sign in.
 */
export function developmentIdentityProvider(accounts: readonly DevelopmentAccount[]): IdentityProvider | undefined {
  if (accounts.length === 0) return undefined;
  const known = accounts.map(({ email, password }) => ({
    account: { subject: developmentSubject(email), email: email.toLowerCase() },
    digest: digestOf(email, password),
  }));
  return {
    signIn(email, password) {
      const digest = digestOf(email, password);
      const matches = known.filter((entry) => timingSafeEqual(entry.digest, digest));
      return Promise.resolve(matches[0]?.account);
    },
    find: (subject) => Promise.resolve(known.find(({ account }) => account.subject === subject)?.account),
  };
}

/**
 * The subject of an account: made of its address alone, so that it is the same in every process, and stays the person's when a secret of
 * the installation is replaced. Who sees it can find out whether it is that of an address; these are no accounts of strangers.
 */
export function developmentSubject(email: string): string {
  return `dev_${createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 24)}`;
}

function digestOf(email: string, password: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([email.trim().toLowerCase(), password]))
    .digest();
}
