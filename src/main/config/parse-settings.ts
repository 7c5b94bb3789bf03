import { ConfigError } from './config-error.ts';
import { SETTINGS } from './settings.ts';
import type { Settings } from './settings.ts';

/**
 * Each setting by its schema, and what two say together.
 * @throws {ConfigError} naming every mistake at once.
 */
export function parseSettings(env: NodeJS.ProcessEnv): Settings {
  const mistakes: string[] = [];
  const parsed = Object.entries(SETTINGS).map(([name, { schema }]) => {
    const text = env[name] === '' ? undefined : env[name];
    const result = schema.safeParse(text);
    if (!result.success) mistakes.push(`${name} ${result.error.issues[0]?.message ?? 'is not valid'}`);
    return [name, result.data];
  });
  // A buyer who held the operator's key could approve what they buy.
  const operatorKey = env['OPERATOR_API_KEY'] ?? '';
  if (mistakes.length === 0 && operatorKey !== '' && operatorKey === env['BOOTSTRAP_API_KEY']) {
    mistakes.push('OPERATOR_API_KEY must differ from BOOTSTRAP_API_KEY');
  }
  if ((env['GRPC_PUBLIC_URL'] ?? '') !== '' && (env['GRPC_PORT'] ?? '') === '')
    mistakes.push('GRPC_PUBLIC_URL needs GRPC_PORT, the port that the proxy is to call');
  if ((env['OUTBOUND_PROXY_RESOLVES'] ?? '') !== '' && (env['OUTBOUND_PROXY'] ?? '') === '')
    mistakes.push('OUTBOUND_PROXY_RESOLVES needs OUTBOUND_PROXY, the proxy that looks names up');
  const oidc = ['OPERATOR_OIDC_ISSUER', 'OPERATOR_OIDC_CLIENT_ID', 'OPERATOR_OIDC_CLIENT_SECRET'];
  const missing = unsetOf(oidc, env);
  if (missing.length > 0 && missing.length < oidc.length)
    mistakes.push(`${missing.join(' and ')} must be set, since another of the three OPERATOR_OIDC settings is`);
  const portal = ['PORTAL_OIDC_CLIENT_ID', 'PORTAL_OIDC_CLIENT_SECRET'];
  const lacking = unsetOf([...portal, 'OAUTH_ISSUER'], env);
  if (lacking.length > 0 && !portal.every((name) => lacking.includes(name)))
    mistakes.push(`${lacking.join(' and ')} must be set, since another setting of the portal's sign-in is`);
  const roles = ['OPERATOR_OIDC_ROLE_CLAIM', 'OPERATOR_OIDC_ROLES'];
  const unset = unsetOf(roles, env);
  if (unset.length === 1)
    mistakes.push(`${unset.join('')} must be set, since ${roles.find((name) => !unset.includes(name)) ?? ''} is`);
  if (unset.length === 0 && missing.length > 0)
    mistakes.push('OPERATOR_OIDC_ROLE_CLAIM needs OPERATOR_OIDC_ISSUER, whose claim it is');
  if (missing.length > 0 && isOff(env['SIGN_IN_LINKS']))
    mistakes.push('SIGN_IN_LINKS=false needs OPERATOR_OIDC_ISSUER, or nobody could sign in to the console');
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.fromEntries(parsed) as Settings;
}

function unsetOf(names: readonly string[], env: NodeJS.ProcessEnv): string[] {
  return names.filter((name) => (env[name] ?? '') === '');
}

function isOff(text: string | undefined): boolean {
  return SETTINGS.SIGN_IN_LINKS.schema.safeParse(text === '' ? undefined : text).data === false;
}
