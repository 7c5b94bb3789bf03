import { z } from 'zod';
import type { CorsOrigins } from '../../platform/cors.ts';
import { weaknessOf } from '../../directory/api-key/api-key.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import type { OperatorRole } from '../../directory/operator/operator.ts';
import { MembershipTier } from '../../directory/organization/organization.ts';
import type { DevelopmentAccount } from '../../oauth/identity-provider.ts';
import { isLoopbackHost } from './loopback.ts';
import { readPlace } from '../../platform/outbound/allowed-places.ts';
import type { NamedPlace } from '../../platform/outbound/allowed-places.ts';
import { readProxy } from '../../platform/outbound/proxy.ts';
import type { Proxy } from '../../platform/outbound/proxy.ts';

/** Words of this form; `message` says which. */
export function text(form: RegExp, message: string) {
  return z.string().regex(form, message);
}

/** Whether something is on. */
export const flag = z
  .enum(['true', 'false', '1', '0', 'on', 'off'], 'must be true or false')
  .transform((word) => ['true', '1', 'on'].includes(word));

/** From `low` to `high`, in at most nine digits. */
export function wholeNumber(low: number, high: number) {
  const expected = `must be a whole number from ${low} to ${high}`;
  return text(/^\d{1,9}$/, expected)
    .transform(Number)
    .refine((value) => value >= low && value <= high, expected);
}

/** Places with commas between, as {@link readPlace} reads them. */
export const places = z.string().transform((given, context): NamedPlace[] => {
  const read = given.split(',').map((one) => readPlace(one.trim()));
  const known = read.filter((place) => place !== undefined);
  if (known.length === read.length) return known;
  context.addIssue({ code: 'custom', message: PLACES_EXPECTED });
  return z.NEVER;
});

const PLACES_EXPECTED =
  'must be addresses or subnets, each with or without a port, or *:PORT, with commas between, such as 10.20.0.0/16,10.1.2.3:9443,[fd00::]/8:9443,*:9443';

/** A proxy by its URL, which may hold a password and so is never repeated. */
export const egressProxy = z.string().transform((given, context): Omit<Proxy, 'resolvesNames'> => {
  const proxy = readProxy(given);
  if (proxy !== undefined) return proxy;
  context.addIssue({
    code: 'custom',
    message: 'must be http:// or https://, with or without user:password@, and host:port',
  });
  return z.NEVER;
});

/** A URL of one of these schemes, such as `https:`; `what` is said to whoever gives another. */
export function url(schemes: readonly string[], what: string) {
  const expected = `must be ${what}`;
  return z.string().refine((given) => URL.canParse(given) && schemes.includes(new URL(given).protocol), expected);
}

/** The address of a page about a trace, with `{trace_id}` where its id belongs. */
export const traceUrl = url(['http:', 'https:'], 'an http or https URL with {trace_id} in it').refine(
  (given) => given.includes('{trace_id}'),
  'must have {trace_id} in it, where the id of the trace belongs',
);

export function withoutSlash(given: string): string {
  return given.replace(/\/+$/, '');
}

/** Where gRPC is reached, as `host:port` or as the URL of a host; becomes the `host:port` that clients dial. */
export const grpcAddress = z.string().transform((given, context): string => {
  const [, scheme = '', host = '', port] =
    /^(https?:\/\/)?([^\s/?#@:[\]]+|\[[\da-f:.]+\])(?::(\d{1,5}))?\/?$/i.exec(given) ?? [];
  const number = Number(port ?? (scheme === '' ? Number.NaN : scheme.toLowerCase() === 'https://' ? 443 : 80));
  if (number >= 1 && number <= 65535 && URL.canParse(`http://${host}`)) return `${host.toLowerCase()}:${number}`;
  context.addIssue({ code: 'custom', message: 'must be host:port or https://host, without a path' });
  return z.NEVER;
});

/** `*`, or origins as browsers send them, with commas between. */
export const corsOrigins = z.string().transform((given, context): CorsOrigins => {
  const origins = given.split(',').map((origin) => origin.trim());
  if (origins.length === 1 && origins[0] === '*') return '*';
  if (origins.every((origin) => /^https?:\/\/[^*]+$/.test(origin) && URL.parse(origin)?.origin === origin))
    return origins;
  const message = 'must be * or exact origins such as https://app.example, with commas between, each without a path';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** Where an ad server's bridge is. A user, query or fragment would be shown where the URL is. */
export const adServerUrl = url(['http:', 'https:'], 'an http or https URL')
  .refine((given) => {
    const { username = '', password = '' } = URL.parse(given) ?? {};
    return username + password === '' && !/[?#]/.test(given);
  }, 'must be an http or https URL without user, query or fragment')
  .transform(withoutSlash);

/** An issuer of OpenID Connect: by https, but on this machine. Codes and a secret are sent there. */
export const oidcIssuer = url(['http:', 'https:'], 'an https URL').refine((given) => {
  const { protocol, hostname = '', search = '', hash = '', username = '' } = URL.parse(given) ?? {};
  return (protocol === 'https:' || isLoopbackHost(hostname)) && search + hash + username === '';
}, 'must be an https URL without user, query or fragment; http on this machine alone');

/** Words of an identity provider, each with the role that it gives. */
export const rolesByWord = text(
  /^[^:,]{1,255}:(viewer|operator|admin)(,[^:,]{1,255}:(viewer|operator|admin))*$/,
  'must be word:role, several with commas between; the roles are viewer, operator and admin',
)
  .transform((list) => list.split(',').map((one) => one.split(':') as [string, OperatorRole]))
  .refine((pairs) => new Set(pairs.map(([word]) => word)).size === pairs.length, 'must name each word once')
  .transform((pairs): ReadonlyMap<string, OperatorRole> => new Map(pairs));

/** What an ad server's bridge asks of its callers. */
export const adServerToken = text(/^[\x21-\x7e]{16,4096}$/, 'must be 16 to 4096 visible ASCII characters');

/** A key long and random enough to be guessed by nobody. */
export const strongKey = z.string().superRefine((key, context) => {
  const weakness = weaknessOf(key);
  if (weakness !== undefined) context.addIssue({ code: 'custom', message: weakness });
});

export const commaSeparated = z.string().transform((list) => list.split(','));

/** JSON that fits the schema. */
export function jsonOf<T>(schema: z.ZodType<T>) {
  return z.string().transform((json, context): T => {
    const result = schema.safeParse(parsedJson(json));
    if (result.success) return result.data;
    const { path = [], message = 'is not valid' } = result.error.issues[0] ?? {};
    context.addIssue({
      code: 'custom',
      message: path.length === 0 ? 'must be a JSON list' : `${path.join('.')} ${message}`,
    });
    return z.NEVER;
  });
}

function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** How many proxies in front to believe; false for none. */
export const proxies = text(/^(false|[0-9])$/, 'must be false or the number of proxies in front, 1 to 9').transform(
  (given): number | false => Number(given) || false,
);

/** Such as `price_1=company_standard,price_2=company_leader`. */
export const tierByPrice = commaSeparated
  .transform((pairs) => new Map(pairs.map((pair) => pair.split('=') as [string, string])))
  .pipe(z.map(z.string().min(1), MembershipTier));

/** Publishers of a rehearsal, such as `news.example=8090`: at these ports of this machine. */
export const loopbackPublishers = text(
  /^[^\s=,]+=\d{1,5}(,[^\s=,]+=\d{1,5})*$/,
  'must be domain=port, several with commas between, such as news.example=8090,shop.example=8091',
).transform((list, context): ReadonlyMap<string, number> => {
  const pairs = list.split(',').map((pair) => pair.split('='));
  const read = pairs.map(([name = '', port]) => [normalizeDomain(name)?.domain, Number(port)] as const);
  const known = read.flatMap(([name, port]) =>
    name === undefined || port < 1 || port > 65_535 ? [] : [[name, port] as const],
  );
  if (known.length === read.length) return new Map(known);
  context.addIssue({ code: 'custom', message: 'must name domains, such as news.example, and ports from 1 to 65535' });
  return z.NEVER;
});

/** Such as `ada@acme.example:a-long-password`, several with commas between. */
export const accounts = text(
  /^[^\s:@,]+@[^\s:@,]+:[^\s,]{12,}(,[^\s:@,]+@[^\s:@,]+:[^\s,]{12,})*$/,
  'must be address:password, several with commas between, each password at least 12 characters without comma or space',
).transform((list) => list.split(',').map(accountOf));

function accountOf(account: string): DevelopmentAccount {
  const end = account.indexOf(':');
  return { email: account.slice(0, end), password: account.slice(end + 1) };
}
