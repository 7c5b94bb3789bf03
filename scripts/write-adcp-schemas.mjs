// Writes test/adcp-schemas/RELEASE.json.gz from a folder of official JSON Schemas: `_schemas` of the wheel `adcp` of PyPI, unpacked.
//
//     node scripts/write-adcp-schemas.mjs FOLDER
//
// Of each release: what the answers and webhooks of our tasks refer to, without the descriptions; nothing else is changed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const RELEASES = ['3.0', '3.1', '3.2'];
const TASKS = {
  'media-buy': [
    ...['get-products', 'list-creative-formats', 'create-media-buy', 'update-media-buy', 'get-media-buys'],
    ...['get-media-buy-delivery', 'provide-performance-feedback', 'list-products', 'buy-products', 'control-media-buy'],
  ],
  creative: ['sync-creatives', 'list-creatives'],
  account: ['sync-accounts', 'list-accounts', 'sync-governance'],
  compliance: ['comply-test-controller'],
  protocol: ['get-adcp-capabilities', 'get-task-status', 'list-tasks'],
  core: ['tasks-get', 'tasks-list'],
};
const OTHERS = [
  ...['core/mcp-webhook-payload.json', 'core/error.json', 'core/async-response-data.json'],
  ...['creative/creative-status-changed-webhook.json', 'core/account-status-changed-webhook.json'],
];

const folder = process.argv[2];
if (folder === undefined) throw new Error('say which folder holds the schemas of each release');
for (const release of RELEASES) {
  const named = Object.entries(TASKS).flatMap(([part, tasks]) =>
    tasks.flatMap((task) => [`${part}/${task}-request.json`, `${part}/${task}-response.json`]),
  );
  const found = {};
  const open = [...named, ...OTHERS].filter((path) => existsSync(join(folder, release, path)));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path in found) continue;
    const schema = JSON.parse(readFileSync(join(folder, release, path), 'utf8'));
    found[path] = bare(schema, path, (ref) => open.push(ref));
  }
  const sorted = Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
  const bytes = gzipSync(JSON.stringify(sorted), { level: 9 });
  writeFileSync(new URL(`../test/adcp-schemas/${release}.json.gz`, import.meta.url), bytes);
  console.log(`${release}: ${Object.keys(sorted).length} schemas, ${bytes.length} bytes`);
}

/** Without words, with references by the path of the file that is meant. */
function bare(value, path, refer) {
  if (Array.isArray(value)) return value.map((item) => bare(item, path, refer));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    const isWord = typeof inner === 'string' && ['description', '$comment', '$id', '$schema', 'title'].includes(key);
    if (isWord || key === 'examples' || key === 'enumDescriptions' || key.startsWith('x-') || key === 'discriminator')
      return [];
    return [
      [key, key === '$ref' && typeof inner === 'string' ? reference(inner, path, refer) : bare(inner, path, refer)],
    ];
  });
  return Object.fromEntries(kept);
}

function reference(ref, path, refer) {
  if (ref.startsWith('#')) return ref;
  // 3.2 refers by whole addresses.
  const [file, fragment] = ref.replace(/^https:\/\/adcontextprotocol\.org(?=\/schemas\/)/, '').split('#');
  const target = file.startsWith('/schemas/')
    ? file.replace(/^\/schemas\/[^/]+\//, '')
    : new URL(file, `adcp:/${path}`).pathname.slice(1);
  refer(target);
  return `adcp:/${target}${fragment === undefined ? '' : `#${fragment}`}`;
}
