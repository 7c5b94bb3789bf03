// `npm run new:endpoint METHOD PATH NAME`: makes the folder of an endpoint of the registry, its line in the list, its
// test and its rule. Until each of them says something, `npm test` fails with the endpoint's name and what is missing.
import { addOpenRule, addToList, spellings, writeNew, writeRules } from './source-lists.mjs';

const [given = '', path = '', name = '', ...rest] = process.argv.slice(2);
const method = given.toLowerCase();
const isGood =
  ['get', 'post', 'put', 'patch', 'delete'].includes(method) &&
  /^(\/([a-z0-9-]+|\{\w+\}))+$/.test(path) &&
  /^[a-z]+(-[a-z]+)+$/.test(name) &&
  rest.length === 0;
if (!isGood) {
  console.error(`usage: npm run new:endpoint METHOD PATH NAME, such as
  npm run new:endpoint GET '/api/publishers/{domain}' read-publisher
METHOD is GET, POST, PUT, PATCH or DELETE; NAME is the folder's: two words or more, joined by hyphens`);
  process.exit(2);
}

const { title, kebab, pascal, camel } = spellings(name.split('-'));
const rule = ['C', 'endpoints', kebab].join('.');
const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param);
const hasBody = method === 'post' || method === 'put' || method === 'patch';

const schema = `import { z } from 'zod';
${
  hasBody
    ? `
/** The body of \`${method.toUpperCase()} ${path}\` (rule ${rule}). */
export const ${pascal}Request = z.object({});
`
    : ''
}
/** The answer of \`${method.toUpperCase()} ${path}\` (rule ${rule}). */
export const ${pascal}Response = z.object({});
export type ${pascal}Response = z.infer<typeof ${pascal}Response>;
`;

const route = `${params.length > 0 ? "import { z } from 'zod';\n" : ''}import { endpoint } from '../endpoint.ts';
import { ${hasBody ? `${pascal}Request, ` : ''}${pascal}Response } from './schema.ts';

/** ${title} (rule ${rule}). */
export const ${camel} = endpoint({
  id: '${camel}',
  method: '${method}',
  path: '${path}',
  tag: 'Registry',
  summary: '${title}',
  access: 'required',
  effect: '${method === 'get' ? 'read' : 'write'}',
  limit: { name: '${kebab}', points: 60, seconds: 60, per: 'caller' },
  ${params.length > 0 ? `params: z.object({ ${params.map((param) => `${param}: z.string().min(1).max(253)`).join(', ')} }),` : ''}
  ${hasBody ? `body: ${pascal}Request,` : ''}
  responses: { 200: { description: '${title}', schema: ${pascal}Response } },

  handle(_input, _call) {
    const body: ${pascal}Response = {};
    return Promise.resolve({ body });
  },
});
`;

const test = `import { afterAll, beforeAll, it } from 'vitest';
import { describeOnStores } from '../support/stores.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

describeOnStores('[${rule}] ${method.toUpperCase()} ${path} on %s', (kind) => {
  let at: Registry;
  beforeAll(async () => {
    at = await startRegistry(kind);
  });
  afterAll(() => at.close());

  it.todo('answers …');
  it.todo('refuses …');
});
`;

await writeNew({
  [`src/registry/${kebab}/schema.ts`]: schema,
  [`src/registry/${kebab}/route.ts`]: route,
  [`test/registry/${kebab}.test.ts`]: test,
});
await addToList('src/registry/index.ts', {
  ...{ name: camel, from: `./${kebab}/route.ts` },
  opening: 'export const endpoints: readonly Endpoint[] = [',
});
await addOpenRule('test/requirements/registry-api.ts', {
  ...{ id: rule, section: 'API', opening: 'export const REGISTRY_API_RULES' },
  text: `\`${method.toUpperCase()} ${path}\` is to be described here.`,
});
writeRules();

console.log(`Made ${camel}: src/registry/${kebab}, test/registry/${kebab}.test.ts, its line in src/registry/index.ts, and its
rule, which stands in docs/rules.md, too.
Next:
  1. src/registry/${kebab}/schema.ts: the fields of what it takes and answers.
  2. src/registry/${kebab}/route.ts: who may call, whether it reads or writes (a POST may only read), the limit and with whom it counts, a summary that says more than the
     name, what the answers mean, and what it does.
  3. test/registry/${kebab}.test.ts: what it answers and refuses, and to whom, by \`at.get\`, \`at.post\`
     and \`at.apiKey\`.
  4. test/requirements/registry-api.ts: what ${rule} promises; \`proved\` in place of \`open\` once the test holds, without
     \`open\` in the import where nothing uses it any more.
  5. npx tsx scripts/write-rules.ts, whenever the rule or what proves it has changed; then npm run check.
A collection that it is the first to use stands once in the list of src/main/wiring/collections.ts.
\`npm test -- test/registry/finished.test.ts\` tells what is still missing.`);
