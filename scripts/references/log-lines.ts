import ts from 'typescript';
import { typescriptFiles } from '../../test/support/project-files.ts';
import { table } from './table.ts';

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
/** What wires, verbs and nouns are to who reads a log, by the folder of `src`. */
const PARTS: Readonly<Record<string, string>> = {
  a2a: 'Calls of buyers',
  admin: 'People at the seller',
  adservers: 'The ad server',
  dialects: 'Calls of buyers',
  directory: 'Buyers, keys and the registry',
  main: 'The process',
  mcp: 'Calls of buyers',
  oauth: 'Signing in',
  platform: 'Store, queues and what all stand on',
  registry: 'Buyers, keys and the registry',
  reporting: 'Media buys',
  runtime: 'Tasks',
  sales: 'Media buys',
  tasks: 'Tasks',
  webhooks: 'Webhooks',
};

interface Line {
  part: string;
  level: string;
  says: string;
  names: string;
}

/** `docs/log-lines.md`: what the log says, found where it is said. */
export async function logPaper(): Promise<string> {
  const lines = (await typescriptFiles('src')).flatMap(({ path, text }) => {
    const part = PARTS[path.split('/')[1] ?? ''];
    if (!/\blog(?:ger)?\??\.\w+\(/.test(text)) return [];
    if (part === undefined) throw new Error(`scripts/references/log-lines.ts has no part for ${path}`);
    return linesOf(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)).map((line) => ({ part, ...line }));
  });
  const parts = [...new Set(Object.values(PARTS))].sort().flatMap((part) => {
    const rows = lines.filter((line) => line.part === part).map(({ level, says, names }) => [level, says, names]);
    const once = [...new Map(rows.map((row) => [row.join('|'), row])).values()].sort(byLevelAndWords);
    return once.length === 0 ? [] : [`## ${part}\n\n${table(['level', 'says', 'with'], once)}`];
  });
  return `# What the log says

Each line is JSON on standard error: \`level\` (20 to 50), \`time\`, \`msg\` as it stands here, where \`…\` is what differs, and the members named beside it; \`…\` is for members that
are named elsewhere. A line that is about a request has its \`request_id\`, one within a trace its \`trace_id\`. \`LOG_LEVEL\` says from which level on. Decisions about access are lines
with \`"event":"security"\` and a \`kind\` (\`docs/audit-actions.md\`); \`"event":"security_held_back"\` counts what was not written, \`"event":"request"\` is one request
(\`REQUEST_LOG_LEVEL\`), and \`"event":"traces_lost"\` tells of spans (\`docs/traces.md\`). No line holds a secret (\`docs/hardening.md\`). Written by \`npx tsx scripts/write-references.ts\` from \`src\`.

${parts.join('\n')}`;
}

function byLevelAndWords([a = '', b = '']: readonly string[], [c = '', d = '']: readonly string[]): number {
  const at = (level: string) => LEVELS.findIndex((one) => one === level);
  return at(a) - at(c) || (b < d ? -1 : 1);
}

function linesOf(file: ts.SourceFile): Omit<Line, 'part'>[] {
  const found: Omit<Line, 'part'>[] = [];
  const texts = new Map<string, ts.Expression>();
  const look = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
      texts.set(node.name.text, node.initializer);
    if (ts.isCallExpression(node)) found.push(...saidBy(node, texts));
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

/** What a call says, if it is one of a log; in as many ways as it may. */
function saidBy(
  { expression, arguments: given }: ts.CallExpression,
  texts: ReadonlyMap<string, ts.Expression>,
): Omit<Line, 'part'>[] {
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const level = expression.name.text;
  if (!LEVELS.some((one) => one === level) || !/(?:^|\.)log(?:ger)?$/.test(expression.expression.getText())) return [];
  const [first, second] = given;
  if (first === undefined) return [];
  const isAlone = wordsOf(first, texts).length > 0;
  const words = wordsOf(isAlone ? first : (second ?? first), texts);
  const names = isAlone ? [] : [...new Set(namesIn(first, texts))].sort();
  return words.map((says) => ({
    level,
    says,
    names: names.map((name) => (name === '…' ? name : `\`${name}\``)).join(', '),
  }));
}

/** The texts that an expression may be; none, if it is no text. */
function wordsOf(node: ts.Expression, texts: ReadonlyMap<string, ts.Expression>): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap((one) => wordsOf(one, texts));
  const known = ts.isIdentifier(node) ? texts.get(node.text) : undefined;
  return known === undefined || known === node ? [] : wordsOf(known, texts);
}

/** The names of the members that a line gets; `…` for those that are told elsewhere. */
function namesIn(node: ts.Expression, texts: ReadonlyMap<string, ts.Expression>): string[] {
  if (ts.isParenthesizedExpression(node)) return namesIn(node.expression, texts);
  if (ts.isBinaryExpression(node)) return namesIn(node.right, texts);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap((one) => namesIn(one, texts));
  if (ts.isIdentifier(node)) {
    const known = texts.get(node.text);
    return known !== undefined && ts.isObjectLiteralExpression(known) ? namesIn(known, texts) : ['…'];
  }
  if (!ts.isObjectLiteralExpression(node)) return ['…'];
  return node.properties.flatMap((one) =>
    ts.isSpreadAssignment(one) ? namesIn(one.expression, texts) : [one.name.getText()],
  );
}
