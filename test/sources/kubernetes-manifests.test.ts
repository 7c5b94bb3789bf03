import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { projectRoot } from '../support/project-files.ts';

const FOLDER = join(projectRoot, 'deploy', 'kubernetes');

interface Manifest {
  apiVersion: string;
  kind: string;
}

/** Where the types of an API's objects are: `apps/v1`, `core/v1`, `networking/v1`. */
function typesOf({ apiVersion, kind }: Manifest): string {
  const api = apiVersion.includes('/') ? apiVersion.replace('.k8s.io/', '/') : `core/${apiVersion}`;
  return `import('kubernetes-types/${api}').${kind}`;
}

async function manifests(): Promise<string[]> {
  const names = (await readdir(FOLDER)).sort();
  return Promise.all(names.map((name) => readFile(join(FOLDER, name), 'utf8')));
}

/** What the types of Kubernetes's own objects say of manifests: each is one object of its kind, with no member that this has not. */
function complaints(texts: readonly string[]): string[] {
  const objects = texts.flatMap((text) =>
    parseAllDocuments(text).map((one) => (one as { toJS(): unknown }).toJS() as Manifest),
  );
  const path = join(projectRoot, 'test', 'sources', 'manifests.of-memory.ts');
  const source = objects.map((one, i) => `export const m${i}: ${typesOf(one)} = ${JSON.stringify(one)};`).join('\n');
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 },
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  };
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram([path], options, {
    ...host,
    fileExists: (name) => name === path || host.fileExists(name),
    getSourceFile: (name, version) =>
      name === path ? ts.createSourceFile(name, source, version) : host.getSourceFile(name, version),
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').trim());
}

describe('the manifests for Kubernetes, by the types of its objects', () => {
  it('are objects that there are, with members that these have', async () => {
    expect(complaints(await manifests())).toEqual([]);
  });

  it('would not pass with a member misspelt, of another kind or missing', async () => {
    for (const [right, wrong, says] of [
      ['readinessProbe:', 'readynessProbe:', `'"readynessProbe"' does not exist in type 'Container'`],
      ['replicas: 2', "replicas: 'two'", "Type 'string' is not assignable to type 'number'"],
      ['pathType: Prefix', '', "Property 'pathType' is missing"],
      ['kind: PodDisruptionBudget', 'kind: PodDisruptionBudgets', "has no exported member 'PodDisruptionBudgets'"],
    ] as const) {
      const texts = (await manifests()).map((text) => text.replaceAll(right, wrong));
      expect(complaints(texts).join('\n'), wrong).toContain(says);
    }
  });
});
