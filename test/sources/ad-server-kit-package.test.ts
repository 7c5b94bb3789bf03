import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const skeleton = /```ts\n([^]+?)```/.exec(readFileSync(join(root, 'docs/adapters.md'), 'utf8'))?.[1] ?? '';

/** What somebody writes who has an ad server and this package: their adapter knows no order yet. */
const ADAPTER = `
import { adServerContract, Broken, digestOf, runContract, Unreachable } from 'media-buy-agent/ad-server-kit';
import type { AdOrder, AdServer, KitResult, World } from 'media-buy-agent/ad-server-kit';

const away = (): Promise<never> => Promise.reject(new Unreachable('not built yet', { sent: 'no' }));
const adServer: AdServer = {
  describe: away, check: away, put: (order: AdOrder) => Promise.reject(new Broken(digestOf(order))),
  read: away, statements: away, putCreative: away,
};
const world: World = { calm: () => Promise.resolve() };
const result: KitResult = await runContract(adServerContract({ open: () => adServer, world }));
const wrong: number = result.failed[0]?.number ?? 0;
console.log(JSON.stringify([result.passed.length, wrong, result.failed[0]?.error.name, result.skipped[0]?.needs]));
`;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ad-server-kit-'));
  const installed = join(dir, 'node_modules/media-buy-agent');
  mkdirSync(installed, { recursive: true });
  const outDir = join(installed, 'dist/ad-server-kit');
  // Whether it compiles is checked with all the rest of the project.
  const project = join(root, 'tsconfig.ad-server-kit.json');
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', outDir, '--noCheck']);
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  // What npm installs beside a package that depends on it.
  symlinkSync(join(root, 'node_modules/zod'), join(dir, 'node_modules/zod'));
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

it('the kit is imported with its types, as the skeleton of docs/adapters.md does, and runs under plain Node with no more than the package depends on', () => {
  writeFileSync(join(dir, 'adapter.ts'), ADAPTER);
  expect(skeleton).toContain('media-buy-agent/ad-server-kit');
  writeFileSync(join(dir, 'skeleton.ts'), skeleton);
  compile('adapter.ts', 'skeleton.ts');
  const printed = execFileSync(process.execPath, [join(dir, 'out/adapter.js')], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([0, 1, 'Unreachable', ['refuse']]);
});

it('the package has what its export names, and the paper that says how to use it', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, Record<string, string>>;
    files: string[];
    scripts: Record<string, string>;
  };
  const paths = Object.values(manifest.exports['./ad-server-kit'] ?? {});
  expect(paths).toHaveLength(2);
  for (const path of paths) expect(existsSync(join(dir, 'node_modules/media-buy-agent', path))).toBe(true);
  expect(manifest.files).toEqual(expect.arrayContaining(['dist/ad-server-kit', 'docs/adapters.md']));
  expect(manifest.scripts['prepack']).toContain('build:ad-server-kit');
});

it('the kit brings nothing along but zod and Node’s own modules', () => {
  const dist = join(dir, 'node_modules/media-buy-agent/dist/ad-server-kit');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const imports = files.flatMap((name) => [...readFileSync(join(dist, name), 'utf8').matchAll(/ from '([^']+)';/g)]);
  const packages = imports.map(([, from = '']) => from).filter((from) => !from.startsWith('.'));
  expect([...new Set(packages)].sort()).toEqual(['node:crypto', 'zod']);
  // What runs over a simulator alone stays at home.
  expect(files.filter((name) => name.includes('simulator') || name.includes('over-http'))).toEqual([]);
});

/** Compiles as strictly as this project is, library types included. */
function compile(...files: string[]): void {
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
  const target = ['--target', 'ES2023', '--module', 'NodeNext', '--outDir', 'out'];
  const paths = files.map((file) => join(dir, file));
  try {
    execFileSync(process.execPath, [compiler, ...strict, ...target, ...paths], { cwd: dir });
  } catch (error) {
    throw new Error(`does not compile: ${String((error as { stdout?: Buffer }).stdout)}`, { cause: error });
  }
}
