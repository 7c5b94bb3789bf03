import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/** What is wrong with a value by the official schema of that path, such as `media-buy/get-products-response.json`; empty: nothing. */
export type OfficialSchemas = (path: string, value: unknown) => string[];

/** @param file a gzipped JSON object of schemas by path, whose references are `adcp:/` and a path. */
export function officialSchemas(file: URL): OfficialSchemas {
  const schemas = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, object>;
  // Most is asked of a schema once or twice: code that is made fast takes longer to make than it ever saves.
  const quickly = { code: { optimize: false }, inlineRefs: false };
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, ...quickly });
  (formats as unknown as (ajv: Ajv) => void)(ajv);
  for (const [path, schema] of Object.entries(schemas)) ajv.addSchema({ ...schema, $id: `adcp:/${path}` });
  return (path, value) => {
    const validate = ajv.getSchema(`adcp:/${path}`) as ValidateFunction | undefined;
    if (validate === undefined) throw new Error(`there is no schema ${path}`);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
  };
}
