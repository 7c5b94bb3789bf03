import ts from 'typescript';
import type { SourceFile } from './source-imports.ts';

const CALLS = ['it', 'itOnStores', 'test', 'describe', 'describeOnStores'];

/** The rules named in the titles of a test file's tests and groups: what stands in `[…]` with the look of an id. */
export function rulesNamedIn({ path, text }: SourceFile): string[] {
  return titlesIn({ path, text }).flatMap((title) =>
    [...title.matchAll(/\[([A-Z](?:\d+(?:\.[\w-]+)?|\.[\w.-]+))\]/g)].map(([, id]) => id ?? ''),
  );
}

/** The titles of a test file's tests and groups, as they are written there. */
export function titlesIn({ path, text }: SourceFile): string[] {
  const titles: string[] = [];
  const noJsDoc = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const source = ts.createSourceFile(path, text, noJsDoc);
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) && CALLS.includes(rootOf(node.expression)) ? node.arguments[0] : undefined;
    if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) titles.push(title.getText(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

/** `it` of `it`, `it.each([…])` and `it.for([…])`. */
function rootOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression))
    return rootOf(expression.expression);
  return '';
}
