import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Identifier } from '../../sales/catalog-values.ts';
import { ConfigError } from './config-error.ts';
import type { AdServerSource, ConfiguredAdServer } from './ad-server-source.ts';
import type { KeySetting } from './key-setting.ts';
import { adServerToken, adServerUrl } from './setting-values.ts';

/** A secret is in the file by its name only: whoever may read the one need not know the other. */
const SecretName = z.strictObject(
  {
    secret: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]{0,127}$/, 'must be the name of a variable, in capitals, digits and underscores'),
  },
  { error: 'must be {"secret": "NAME"}, the name of a variable and not the secret itself' },
);

const AdServerEntry = z.discriminatedUnion(
  'adapter',
  [
    z.strictObject({ id: Identifier, adapter: z.literal('simulator'), settings: z.strictObject({}).default({}) }),
    z.strictObject({
      id: Identifier,
      adapter: z.literal('http'),
      settings: z.strictObject({ url: adServerUrl, token: SecretName, sign: z.boolean().default(false) }),
    }),
  ],
  { error: 'must be simulator or http' },
);

/**
 * The one ad server of this installation. Reads `AD_SERVERS_FILE`, and the secrets that it names, where that is set: `NAME` in
 * the environment, or the file that `NAME_FILE` there leads to.
 * @throws {ConfigError} for a file that cannot be read, says something else, or names more than one; with no secret.
 */
export function configuredAdServer(source: AdServerSource): ConfiguredAdServer {
  if (source.from === 'environment') return source.adServer;
  const { file, besides, secretOf } = source;
  if (besides.length > 0) {
    throw new ConfigError([`AD_SERVERS_FILE says where orders go; leave out ${besides.join(' and ')}, or the file`]);
  }
  const [entry, ...more] = entriesOf(file);
  if (entry === undefined) throw new ConfigError([`AD_SERVERS_FILE names no ad server: ${file} is an empty list`]);
  if (more.length > 0) {
    const ids = [entry, ...more].map(({ id }) => id).join(', ');
    throw new ConfigError([
      `AD_SERVERS_FILE names ${more.length + 1} ad servers, ${ids}; there can be one yet, so keep one`,
    ]);
  }
  if (entry.adapter === 'simulator') return { id: entry.id, adapter: entry.adapter };
  const { url, token, sign } = entry.settings;
  const { id, adapter } = entry;
  return { id, adapter, url, token: tokenOf(secretOf(token.secret)), ...(sign && { sign }) };
}

function entriesOf(file: string): z.infer<typeof AdServerEntry>[] {
  const result = z
    .array(AdServerEntry, { error: 'must be a list: [ … ]' })
    .safeParse(parsed(contentOf(file, 'AD_SERVERS_FILE')));
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map(({ path, message }) => `AD_SERVERS_FILE ${file} ${placeOf(path)}${message}`),
  );
}

/** Such as `[0].settings.url: `. */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return place === '' ? '' : `${place}: `;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own error quotes what is there.
    return undefined;
  }
}

function tokenOf({ name, text, file }: KeySetting): string {
  if (text !== undefined && file !== undefined) throw new ConfigError([`${name} and ${name}_FILE exclude each other`]);
  if (text === undefined && file === undefined) {
    throw new ConfigError([
      `${name} is named by AD_SERVERS_FILE and not set; set it, or ${name}_FILE to a file that holds it`,
    ]);
  }
  const setting = file === undefined ? name : `${name}_FILE`;
  const result = adServerToken.safeParse(file === undefined ? text : contentOf(file, setting).trim());
  if (result.success) return result.data;
  throw new ConfigError([`${setting} ${result.error.issues[0]?.message ?? 'is not valid'}`]);
}

function contentOf(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError([`${setting} names a file that cannot be read: ${file}`]);
  }
}
