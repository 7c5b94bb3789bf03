import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { secretsOf } from './key-setting.ts';
import type { KeySetting } from './key-setting.ts';
import type { Settings } from './settings.ts';

/** The ad server that orders go to. */
export type ConfiguredAdServer =
  | { id: string; adapter: 'simulator' }
  /** `sign`: each call carries a signature besides. */
  | { id: string; adapter: 'http'; url: string; token: string; sign?: true };

/** What says which ad server orders go to: the environment, or a file, which names secrets of the environment. */
export type AdServerSource =
  | { from: 'environment'; adServer: ConfiguredAdServer }
  | {
      from: 'file';
      file: string;
      /** Settings that say the same, and must not be there beside the file. */
      besides: readonly string[];
      secretOf: (name: string) => KeySetting;
    };

/** The id of an ad server that the environment describes. */
const DEFAULT_AD_SERVER_ID = 'default';

/** @throws {ConfigError} for a setting that lacks another. */
export function adServerSource(s: Settings, env: NodeJS.ProcessEnv, cwd: string): AdServerSource {
  const { AD_SERVER: adapter, AD_SERVER_URL: url, AD_SERVER_TOKEN: token, AD_SERVERS_FILE: file } = s;
  if (file !== undefined) {
    const besides = Object.entries({ AD_SERVER: adapter, AD_SERVER_URL: url, AD_SERVER_SIGN: s.AD_SERVER_SIGN }).filter(
      ([, given]) => given !== undefined,
    );
    return {
      ...{ from: 'file', file: resolve(cwd, file) },
      besides: besides.map(([name]) => name),
      secretOf: secretsOf(env, cwd),
    };
  }
  if (adapter === 'http') {
    const missing = Object.entries({ AD_SERVER_URL: url, AD_SERVER_TOKEN: token }).filter(
      ([, text]) => text === undefined,
    );
    if (url === undefined || token === undefined)
      throw new ConfigError([`AD_SERVER=http needs ${missing.map(([name]) => name).join(' and ')}`]);
    const sign = s.AD_SERVER_SIGN === true && { sign: true as const };
    return { from: 'environment', adServer: { id: DEFAULT_AD_SERVER_ID, adapter, url, token, ...sign } };
  }
  // Orders that somebody believes to go there must not be played here.
  if (adapter === undefined && url !== undefined) throw new ConfigError(['AD_SERVER_URL needs AD_SERVER=http']);
  return { from: 'environment', adServer: { id: DEFAULT_AD_SERVER_ID, adapter: 'simulator' } };
}
