import { factsOf } from './source-imports.ts';
import type { SourceFacts, SourceFile } from './source-imports.ts';

/** The ladder, highest first: a folder of `src` imports from itself and from rungs below its own, nothing else. */
const LADDER = [
  ['main'],
  ['a2a', 'mcp', 'registry', 'oauth', 'admin', 'adservers'],
  ['dialects'],
  ['reporting'],
  ['tasks'],
  ['webhooks'],
  ['runtime'],
  ['sales', 'directory'],
  ['platform'],
];

/** Which part of `src` may import a package; the others of package.json may be imported anywhere. */
const OWNERS: readonly { packages: RegExp; paths: RegExp }[] = [
  { packages: /^(bullmq|ioredis|mongoose|mongodb|libsql)$/, paths: /^platform\// },
  { packages: /^(undici|pino)$/, paths: /^platform\// },
  { packages: /^@opentelemetry\//, paths: /^platform\/telemetry\// },
  { packages: /^@a2a-js\/sdk$/, paths: /^(a2a|main\/buyer-cli)\// },
  { packages: /^@modelcontextprotocol\//, paths: /^mcp\// },
  { packages: /^@bull-board\//, paths: /^admin\// },
  { packages: /^(express|helmet)$/, paths: /^(a2a|mcp|registry|oauth|admin|adservers|main)\// },
  { packages: /^jose$/, paths: /(^|[/-])(sign|key|jwk|auth|oauth)/ },
];

/** The receiver's package, which stands below all of `src`: both ends of a webhook read its bytes alike. */
const RECEIVER = '#receiver';

/** Every breach of the architecture by these files of `src`, one line each. `dependencies`: those of package.json. */
export function breaches(sources: readonly SourceFile[], dependencies: readonly string[]): string[] {
  const facts = sources.map(factsOf);
  return [
    ...facts.flatMap(ladderBreaches),
    ...facts.flatMap((file) => packageBreaches(file, dependencies)),
    ...facts.flatMap(environmentBreaches),
    ...doubleNames(facts),
    ...cycles(facts).map((cycle) => `cycle: ${cycle.join(' > ')}`),
  ];
}

function ladderBreaches({ path, files }: SourceFacts): string[] {
  const rung = rungOf(path);
  if (rung === undefined) return [`${path} is in no folder of the ladder`];
  return files.flatMap((imported) => {
    if (imported.endsWith('.json')) return [];
    const below = rungOf(imported);
    if (below === undefined) return [`${path} imports ${imported}, which is outside the ladder`];
    if (folderOf(imported) === folderOf(path) || below > rung) return [];
    return [
      `${path} imports ${imported}: ${folderOf(path)} stands ${below === rung ? 'beside' : 'below'} ${folderOf(imported)}`,
    ];
  });
}

function packageBreaches({ path, packages }: SourceFacts, dependencies: readonly string[]): string[] {
  const inside = path.replace(/^src\//, '');
  return packages.flatMap((name) => {
    if (name === RECEIVER) return [];
    if (!dependencies.includes(name)) return [`${path} imports ${name}, which is no dependency of package.json`];
    const owner = OWNERS.find(({ packages: owned }) => owned.test(name));
    return owner === undefined || owner.paths.test(inside) ? [] : [`${path} may not import ${name}`];
  });
}

function environmentBreaches({ path, readsEnvironment }: SourceFacts): string[] {
  return readsEnvironment && folderOf(path) !== 'main' ? [`${path} reads the environment`] : [];
}

/** Names that two files export: a search for one meets the other. */
function doubleNames(facts: readonly SourceFacts[]): string[] {
  const holders = new Map<string, string[]>();
  for (const { path, exports } of facts) {
    for (const name of exports) holders.set(name, [...(holders.get(name) ?? []), path]);
  }
  return [...holders].flatMap(([name, paths]) =>
    paths.length < 2 ? [] : [`${name} is exported by ${paths.join(' and ')}`],
  );
}

function folderOf(path: string): string {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? '';
}

function rungOf(path: string): number | undefined {
  const rung = LADDER.findIndex((folders) => folders.includes(folderOf(path)));
  return rung === -1 ? undefined : rung;
}

/** Circles of imports, each once, from the file of it that is met first. */
function cycles(facts: readonly SourceFacts[]): string[][] {
  const importsOf = new Map(facts.map(({ path, files }) => [path, files]));
  const done = new Set<string>();
  const found: string[][] = [];
  const walk = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) found.push([...trail.slice(start), path]);
    if (start !== -1 || done.has(path)) return;
    for (const imported of importsOf.get(path) ?? []) walk(imported, [...trail, path]);
    done.add(path);
  };
  for (const { path } of facts) walk(path, []);
  return found;
}
