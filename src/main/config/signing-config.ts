import { resolve } from 'node:path';
import type { SigningConfig } from './config-shape.ts';
import type { KeySetting } from './key-setting.ts';
import type { Settings } from './settings.ts';

/** Where the keys are that sign, and how long they do. */
export function signingConfig(s: Settings, cwd: string): SigningConfig {
  const source = (name: 'SIGNING_KEYS' | 'WEBHOOK_SIGNING_KEYS'): KeySetting => {
    const file = s[`${name}_FILE`];
    return { name, text: s[name], file: file === undefined ? undefined : resolve(cwd, file) };
  };
  return {
    keys: source('SIGNING_KEYS'),
    webhooksOnly: source('WEBHOOK_SIGNING_KEYS'),
    revokedKids: s.REVOKED_KIDS ?? [],
    alg: s.SIGNING_KEY_ALG ?? 'ed25519',
    rotateAfterDays: s.SIGNING_KEY_DAYS ?? 90,
  };
}
