import { join, relative } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../support/project-files.ts';

/** How a source file would read: from its text to another. */
export type Changes = Readonly<Record<string, (text: string) => string>>;

/** Compiles some files of the project as they would read after changes, in memory. */
export interface Compiler {
  /** Each complaint of the compiler about these files: path, then what it says in full. */
  complaints(changes: Changes): string[];
}

/** @param files paths in the project; what they import is read along and not complained about. */
export function createCompiler(files: readonly string[]): Compiler {
  const { config } = ts.readConfigFile(join(projectRoot, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, incremental: false, tsBuildInfoFile: undefined },
    projectRoot,
  );
  const host = ts.createCompilerHost(options);
  const unchanged = new Map<string, ts.SourceFile | undefined>();
  const rootNames = files.map((file) => join(projectRoot, file));
  const missing = rootNames.filter((path) => !ts.sys.fileExists(path));
  if (missing.length > 0) throw new Error(`there is no ${missing.join(', ')}`);
  let program: ts.Program | undefined;

  return {
    complaints(changes) {
      const used = new Set<string>();
      const read: ts.CompilerHost['getSourceFile'] = (path, version) => {
        const name = relative(projectRoot, path);
        const change = changes[name];
        if (change === undefined) {
          if (!unchanged.has(path)) unchanged.set(path, host.getSourceFile(path, version));
          return unchanged.get(path);
        }
        used.add(name);
        const before = ts.sys.readFile(path) ?? '';
        const after = change(before);
        if (after === before) throw new Error(`the change to ${name} changes nothing`);
        return ts.createSourceFile(path, after, version);
      };
      program = ts.createProgram(rootNames, options, { ...host, getSourceFile: read }, program);
      const unread = Object.keys(changes).filter((name) => !used.has(name));
      if (unread.length > 0) throw new Error(`nothing reads ${unread.join(', ')}`);
      const compiled = program;
      return rootNames.flatMap((path) =>
        [
          ...compiled.getSyntacticDiagnostics(compiled.getSourceFile(path)),
          ...compiled.getSemanticDiagnostics(compiled.getSourceFile(path)),
        ].map(
          ({ messageText }) => `${relative(projectRoot, path)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
        ),
      );
    },
  };
}
