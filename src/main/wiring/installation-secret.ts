import { join } from 'node:path';
import { operatorKeys } from '../../admin/operator/operator-key.ts';
import { tokenKeys } from '../../oauth/keys/token-key-row.ts';
import type { Clock } from '../../platform/clock.ts';
import { sealer } from '../../platform/crypto/sealer.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { changeSecretFile, newSecret, secretFileOf } from '../../platform/crypto/secret-file.ts';
import type { SecretFileStep } from '../../platform/crypto/secret-file.ts';
import {
  forgetLeftSecret,
  formerSecret,
  leftSecret,
  noteSealedWith,
  sealedWith,
} from '../../platform/crypto/secret.ts';
import type { Logger } from '../../platform/log.ts';
import type { Store } from '../../platform/store/collection.ts';
import { emptyLog } from '../../platform/store/sqlite/empty-log.ts';
import { SigningKeys, WebhookSigningKeys } from '../../webhooks/keys/signing-key-row.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config-shape.ts';
import { retireWhatItSealed } from './retire-keys.ts';
import { sealStoreAnew } from './seal-anew.ts';

/** What an installation seals with. */
export interface InstallationSecret {
  /** `SECRET_KEY`, or the one in `DATA_DIR/secret`. */
  secret: string;
  /** Open what they sealed, and prove what they proved. */
  formerSecrets: readonly string[];
  /** Seals with the one, and opens what the others sealed. */
  sealer: Sealer;
}

export interface InstallationSecretDependencies {
  config: Pick<Config, 'secretKey' | 'previousSecretKeys' | 'dataDir' | 'mongodbUrl'>;
  store: Store;
  clock: Clock;
  log: Logger;
  /** Awaited after each step of moving a secret out of the embedded store; for tests that end there. */
  reached?: (step: SecretStep) => Promise<void>;
}

/** The steps of moving a secret out of the embedded store, in order. */
export type SecretStep = SecretFileStep | 'retired' | 'forgotten' | 'log emptied' | 'sealed anew';

/**
 * The secret of this installation (rule S4): beside the embedded store, which never holds it, or as a setting for MongoDB,
 * which several machines share. What 0.1.0 kept in the store still opens what it sealed.
 * @throws {ConfigError} for MongoDB without `SECRET_KEY`, or a store whose secret is not there.
 */
export async function installationSecret(deps: InstallationSecretDependencies): Promise<InstallationSecret> {
  const left = await leftSecret(deps.store);
  if (deps.config.mongodbUrl === undefined) return secretBesideStore(deps, left);
  const { secretKey, previousSecretKeys } = deps.config;
  const secret = secretKey ?? left;
  if (secret === undefined) throw new ConfigError([SECRET_KEY_IS_NEEDED]);
  if (left !== undefined) {
    const first =
      secretKey === undefined ? 'set SECRET_KEY for every server and worker, start them again, and then say: ' : '';
    deps.log.warn(
      `a secret of 0.1.0 lies in the store beside what it sealed; ${first}npm run agent -- secret move-out (docs/upgrading.md)`,
    );
  }
  const given = sealing(secret, [...previousSecretKeys, ...(left === undefined ? [] : [left])]);
  const former = await formerSecret(deps.store, given.sealer).catch((cause: unknown) => {
    throw new ConfigError([SECRET_KEY_IS_ANOTHER], { cause });
  });
  return former === undefined ? given : sealing(secret, [...given.formerSecrets, former]);
}

const SECRET_KEY_IS_NEEDED =
  'SECRET_KEY is needed with MONGODB_URL, the same for every server and worker: at least 32 random characters, such as openssl rand -base64 32 prints';

const SECRET_KEY_IS_ANOTHER =
  'SECRET_KEY is not what this store was sealed with; set that one, or name it in PREVIOUS_SECRET_KEYS';

function sealing(secret: string, formers: readonly string[]): InstallationSecret {
  const formerSecrets = [...new Set(formers)].filter((former) => former !== secret);
  return { secret, formerSecrets, sealer: sealer(secret, formerSecrets) };
}

/**
 * What is written in the file first is on disk before anything is taken from the store, so that a process killed anywhere
 * leaves the secret in one of the two, and the next start goes on from there.
 */
async function secretBesideStore(
  deps: InstallationSecretDependencies,
  left: string | undefined,
): Promise<InstallationSecret> {
  const { config, store, clock, log, reached = () => Promise.resolve() } = deps;
  const { secretKey, previousSecretKeys, dataDir } = config;
  const filed = await changeSecretFile(
    dataDir,
    async (lines) => {
      const wanted = [...lines];
      if (wanted.length === 0 && (secretKey === undefined || left !== undefined)) {
        if (left === undefined) await demandNothingSealed(deps);
        wanted.push(newSecret());
      }
      return left === undefined || wanted.includes(left) ? wanted : [...wanted, left];
    },
    reached,
  );
  if (left !== undefined) {
    await retireWhatItSealed(store, left);
    log.warn("0.1.0's operator key and the keys of its access tokens are retired: who read the store has them");
    await reached('retired');
    await forgetLeftSecret(store);
    await reached('forgotten');
  }
  const secret = secretKey ?? filed[0] ?? '';
  const made = sealing(secret, [...filed, ...previousSecretKeys]);
  const hasFormer = filed.some((line) => line !== secret);
  if (hasFormer && (await sealedWith(store)) !== made.sealer.keyId) {
    await emptyLog(join(dataDir, 'store.db'));
    await reached('log emptied');
    log.info('sealing stored secrets anew');
    const { rows, stuck, unread } = await sealStoreAnew(store, made.sealer);
    await reached('sealed anew');
    if (stuck + unread > 0) {
      log.warn(
        { rows, stuck, unread },
        'not everything is sealed anew: keep the former secret; the next start tries again',
      );
    } else {
      log.info({ rows }, 'stored secrets are sealed anew');
      await noteSealedWith(store, clock, made.sealer.keyId);
    }
  }
  return made;
}

/** A new secret would open nothing of what stands there. @throws {ConfigError} */
async function demandNothingSealed({ config, store }: InstallationSecretDependencies): Promise<void> {
  const counts = await Promise.all([
    store.collection(SigningKeys).count({}),
    store.collection(WebhookSigningKeys).count({}),
    store.collection(tokenKeys).count({}),
    store.collection(operatorKeys).count({}),
  ]);
  if (counts.some((count) => count > 0) || (await sealedWith(store)) !== undefined) {
    const file = secretFileOf(config.dataDir);
    throw new ConfigError([
      `${file} is missing, and the store holds what it sealed; put it back from its backup, or set SECRET_KEY if that is what sealed`,
    ]);
  }
}
