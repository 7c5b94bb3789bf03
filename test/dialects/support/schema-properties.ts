import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  [word: string]: unknown;
}

/** The names that official schemas have for the properties of a request, or of what it holds under a name. */
export function propertyNames(file: URL) {
  const schemas = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, Schema>;

  /** @param steps names of properties that lead to it; into a list by the name of the list. */
  return (path: string, ...steps: string[]): string[] | undefined => {
    const root = schemas[path];
    if (root === undefined) return undefined;
    let found = propertiesOf(root, root);
    for (const step of steps) {
      const next = found.get(step);
      if (next === undefined) return undefined;
      found = propertiesOf(...next);
    }
    return [...found.keys()].sort();
  };

  function propertiesOf(schema: Schema, within: Schema): Map<string, [Schema, Schema]> {
    const found = new Map<string, [Schema, Schema]>();
    const add = (more: Map<string, [Schema, Schema]>) => {
      for (const [name, property] of more) if (!found.has(name)) found.set(name, property);
    };
    if (schema.$ref !== undefined) add(propertiesOf(...resolved(schema.$ref, within)));
    for (const [name, property] of Object.entries(schema.properties ?? {})) found.set(name, [property, within]);
    for (const word of ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'items']) {
      for (const part of [schema[word] ?? []].flat() as Schema[]) add(propertiesOf(part, within));
    }
    return found;
  }

  function resolved(ref: string, within: Schema): [Schema, Schema] {
    const [file = '', fragment = ''] = ref.replace('adcp:/', '').split('#');
    const whole = file === '' ? within : schemas[file];
    if (whole === undefined) throw new Error(`there is no schema ${ref}`);
    const steps = fragment.split('/').filter((step) => step !== '');
    return [steps.reduce((at, step) => at[step] as Schema, whole), whole];
  }
}
