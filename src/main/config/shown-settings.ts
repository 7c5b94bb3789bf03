import type { SettingView } from '../../admin/operator/doctor/installation.ts';
import { SETTINGS } from './settings.ts';

/** What nobody is shown, by how it is named. */
const SECRET = /(_KEY|_KEYS|_SECRET|_TOKEN|_PASSWORD|_ACCOUNTS|_CLIENTS|_PROXY)$/;

/** All settings as an environment gives them; no secret among them. Pure. */
export function shownSettings(env: NodeJS.ProcessEnv): SettingView[] {
  return Object.entries(SETTINGS).map(([name, { doc }]) => {
    const text = env[name] ?? '';
    const is_secret = SECRET.test(name);
    const is_set = text !== '';
    return { name, value: is_set && !is_secret ? withoutSecrets(text) : null, is_set, is_secret, about: doc };
  });
}

/** A URL may hold a password, and a path that only its receiver knows. */
function withoutSecrets(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text;
  // Not every URL of a database is one to `URL`: several hosts with commas between.
  const [, scheme = '', rest = ''] = /^([^/]+:\/\/)(?:[^/?#]*@)?([^/?#]*)/.exec(text) ?? [];
  const isWhole = text === `${scheme}${rest}` || text === `${scheme}${rest}/`;
  return `${scheme}${rest}${isWhole ? '' : '/…'}`;
}
