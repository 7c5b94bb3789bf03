import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Json } from '../../journeys/support/buyer.ts';
import type { Chance } from '../../support/chance.ts';

interface Schema {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  format?: string;
  pattern?: string;
  properties?: Record<string, Schema | boolean>;
  required?: string[];
  items?: Schema | boolean;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  definitions?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
}

/** What a sample is made by. */
export interface Making {
  chance: Chance;
  /** Values that mean something here, by the name of their field. */
  known: Readonly<Record<string, readonly unknown[]>>;
}

/** Makes values that fit an official schema, as far as it understands it: hold them against the schema before they are used. */
export function sampler(file: URL) {
  const schemas = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, Schema>;
  return (path: string, making: Making): Json => {
    const root = schemas[path];
    if (root === undefined) throw new Error(`there is no schema ${path}`);
    return sample(root, root, '', 0) as Json;

    function resolved(ref: string, within: Schema): [Schema, Schema] {
      const [file = '', fragment = ''] = ref.replace('adcp:/', '').split('#');
      const whole = file === '' ? within : schemas[file];
      if (whole === undefined) throw new Error(`there is no schema ${ref}`);
      const part = fragment
        .split('/')
        .filter((step) => step !== '')
        .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], whole);
      return [part as Schema, whole];
    }

    function sample(schema: Schema | boolean, within: Schema, name: string, depth: number): unknown {
      const { chance, known } = making;
      // `true` and `false` are schemas, too.
      if (typeof schema !== 'object') return undefined;
      const { $ref, oneOf, anyOf, allOf = [] } = schema;
      if ($ref !== undefined) {
        const [part, whole] = resolved($ref, within);
        return sample(part, whole, name, depth);
      }
      if ('const' in schema) return schema.const;
      const meant = known[name] ?? [];
      if (meant.length > 0 && chance.between(0, 3) > 0) return pick(meant);
      if (schema.enum !== undefined) return pick(schema.enum);
      const type = [schema.type].flat()[0] ?? (schema.properties === undefined ? undefined : 'object');
      const own = type === undefined ? undefined : plain({ ...schema, type }, within, name, depth);
      const parts = [...allOf, ...[oneOf, anyOf].flatMap((some) => (some === undefined ? [] : [pick(some)]))];
      const others = parts.map((part) => sample(part, within, name, depth));
      const isMade = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
      if (own === undefined && !others.every(isMade)) return others[0];
      return isMade(own ?? others[0]) ? Object.assign({}, own, ...others.filter(isMade)) : (own ?? others[0] ?? null);
    }

    function plain(schema: Schema & { type: string }, within: Schema, name: string, depth: number): unknown {
      const { chance } = making;
      const { minimum = 0, exclusiveMinimum, maximum = 1_000_000, minItems = 0, items = {} } = schema;
      switch (schema.type) {
        case 'object': {
          const { properties = {}, required = [] } = schema;
          const names = Object.keys(properties).filter(
            (key) => required.includes(key) || chance.between(0, 3 + depth) === 0,
          );
          return Object.fromEntries(names.map((key) => [key, sample(properties[key] ?? {}, within, key, depth + 1)]));
        }
        case 'array': {
          const length = Math.max(minItems, chance.between(0, depth > 4 ? 0 : 2));
          return Array.from({ length }, () => sample(items, within, name, depth + 1));
        }
        case 'integer':
          return chance.between(exclusiveMinimum ?? minimum, Math.min(maximum, minimum + 50));
        case 'number':
          return chance.between(exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1, maximum);
        case 'boolean':
          return chance.between(0, 1) === 1;
        case 'null':
          return null;
        default:
          return text(schema);
      }
    }

    function text({ format, pattern, minLength = 0 }: Schema): string {
      if (format === 'date-time') return pick(['2030-01-01T00:00:00Z', '2031-06-01T12:00:00+02:00']);
      if (format === 'date' || pattern === '^\\d{4}-\\d{2}-\\d{2}$') return pick(['2030-01-01', '2030-02-01']);
      if (format === 'uri' || format === 'uri-reference') return 'https://shop.example/a';
      const texts = [
        'acme.example',
        'constructor',
        '__proto__',
        'EUR',
        'US',
        'en',
        'a'.repeat(64),
        'ünïcode',
        '',
        ' ',
        '1',
      ];
      const fits = (one: string) =>
        one.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(one));
      const fitting = texts.filter(fits);
      return fitting.length === 0 ? 'a'.repeat(Math.max(minLength, 16)) : pick(fitting);
    }

    function pick<T>(things: readonly T[]): T {
      return things[making.chance.between(0, things.length - 1)] as T;
    }
  };
}
