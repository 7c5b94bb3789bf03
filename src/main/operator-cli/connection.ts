import { userInfo } from 'node:os';
import { ConfigError, readConfig } from '../config/config.ts';
import { addressOf } from '../process/listen.ts';
import { readRunning } from '../process/running-file.ts';
import { operatorClient } from './operator-client.ts';
import type { OperatorClient } from './operator-client.ts';

/** What the command line says of the agent to talk to, and of who talks. */
export interface ConnectionOptions {
  url?: string | undefined;
  key?: string | undefined;
  by?: string | undefined;
}

/**
 * The agent that is named, or the one that runs on DATA_DIR. The key of the latter goes to no other.
 * @throws {ConfigError} for a wrong setting, a URL that is none, or a key that cannot be found.
 */
export async function connect(env: NodeJS.ProcessEnv, { url, key, by }: ConnectionOptions): Promise<OperatorClient> {
  const config = readConfig(env, { allowLoopback: true });
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new ConfigError(['--url must be an http or https URL']);
  }
  const running = await readRunning(config.dataDir);
  const named = url?.replace(/\/+$/, '');
  const baseUrl = named ?? running?.base_url ?? config.publicUrl ?? addressOf(config.host, config.port);
  const itsKey = running?.base_url === baseUrl ? running.operator_key : undefined;
  const operatorKey = key ?? config.operatorApiKey ?? itsKey;
  if (operatorKey === undefined) {
    const where = named === undefined ? `no agent runs on ${config.dataDir}; start one, or name it with --url` : '';
    throw new ConfigError([where === '' ? '--key or OPERATOR_API_KEY is needed with this --url' : where]);
  }
  return operatorClient({ baseUrl, key: operatorKey, by: by ?? whoIsHere() });
}

/** The person at this terminal, as the system knows them. */
function whoIsHere(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}
