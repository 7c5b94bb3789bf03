import { dirname, join } from 'node:path';
import ts from 'typescript';

/** One TypeScript file, its path from the project's root. */
export interface SourceFile {
  path: string;
  text: string;
}

export interface SourceFacts {
  path: string;
  /** Project files it imports, types included, as paths from the project's root. */
  files: string[];
  /** Packages it imports, without what follows their name. Node's own modules are left out. */
  packages: string[];
  readsEnvironment: boolean;
  /** Names that it declares and exports, each once: a schema and the type of it are one. */
  exports: string[];
}

/** What a file imports in any way (import, export from, import(), import types), by its syntax tree. */
export function factsOf({ path, text }: SourceFile): SourceFacts {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const specifiers: string[] = [];
  let readsEnvironment = false;

  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) specifiers.push(specifier);
    readsEnvironment ||= isEnvironment(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);

  const isFile = (specifier: string): boolean => specifier.startsWith('.');
  const unique = (all: string[]): string[] => [...new Set(all)];
  return {
    path,
    files: unique(specifiers.filter(isFile).map((specifier) => join(dirname(path), specifier))),
    packages: unique(specifiers.filter((each) => !isFile(each) && !each.startsWith('node:')).map(packageName)),
    readsEnvironment,
    exports: unique(tree.statements.flatMap(exportedNames)),
  };
}

function exportedNames(node: ts.Statement): string[] {
  if (!ts.canHaveModifiers(node)) return [];
  if (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
  const declarations = ts.isVariableStatement(node)
    ? [...node.declarationList.declarations]
    : [node as ts.NamedDeclaration];
  return declarations.flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : []));
}

function specifierOf(node: ts.Node): string | undefined {
  const at = importedAt(node);
  return at && ts.isStringLiteralLike(at) ? at.text : undefined;
}

function importedAt(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return undefined;
}

/** `process.env`, `process['env']`, `const { env } = process` and `import { env } from 'node:process'`. */
function isEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.expression.getText() === 'process' && node.name.text === 'env';
  if (ts.isElementAccessExpression(node)) return /^process\[(['"`])env\1\]$/.test(node.getText());
  if (ts.isVariableDeclaration(node) && node.initializer?.getText() === 'process') return hasEnv(node.name);
  if (ts.isImportDeclaration(node) && /^(node:)?process$/.test(specifierOf(node) ?? '')) {
    return hasEnv(node.importClause?.namedBindings);
  }
  return false;
}

function hasEnv(bindings: ts.Node | undefined): boolean {
  return bindings !== undefined && /\benv\b/.test(bindings.getText());
}

function packageName(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}
