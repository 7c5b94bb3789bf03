import ts from 'typescript';
import type { SourceFile } from './source-imports.ts';

/** A way to name a rule that `docs/rules.md` does not know, or a word that leads nowhere. */
export interface Breach {
  path: string;
  /** What is wrong, with the words it stands in. */
  found: string;
}

/** An id as `docs/rules.md` has them: `W7`, `W7.retry-after`, `C.events.9`. */
const ID = String.raw`(?:[A-Z]\d{1,2}(?:\.[a-z][a-z-]*)?|C\.[a-z][\w-]*(?:\.[\w-]+)*)(?![\w-])`;
const CITATION = new RegExp(String.raw`\b([Rr]ules?) (${ID}(?:, ${ID})*)( steps? \d)?`, 'g');
/** An id by itself. Of the single letters only those that rules have: `A4` is paper. */
const BARE = /(?<![\w./#-])(?:[NTBWRS]\d{1,2}(?:\.[a-z][a-z-]*)?|C\.[a-z][\w.-]*\w)(?![\w-])/g;

/** These say what an id is; what they quote as examples is held to exist and no more. */
const ABOUT_IDS =
  /^(docs\/rules\.md|scripts\/write-rules\.ts|test\/requirements(\/.+|\.test)?(\.ts)?|test\/support\/(citations|proofs|test-titles)\.ts)$/;
/** Ordinary names that hold the word: the suites that hold every store, and every ad server, to the same promises; a value of a setting. */
const ORDINARY =
  /\bcollection-contract(-\w+)*\b|\b(adServerContract|runContract)\b|\bMCP_TASKS=contract\b|\bpublic or contract\b|^contract$/g;

/** Every breach in a file: in comments and strings of code, in all of a paper. `ids`: those that there are. */
export function breachesIn({ path, text }: SourceFile, ids: readonly string[]): Breach[] {
  const { prose, strings } = wordsOf(path, text);
  const isTest = path.startsWith('test/');
  const cited = [...prose, ...strings].flatMap((words) => [
    ...citationBreaches(words, ids, ABOUT_IDS.test(path)),
    ...orphanWords(words),
  ]);
  // A test's title names the rules it proves in brackets, and data may be anything.
  const bare = ABOUT_IDS.test(path) ? [] : [...prose, ...(isTest ? [] : strings)].flatMap(bareIds);
  return [...cited, ...bare].map((found) => ({ path, found }));
}

/** The ids of the rules that a file's comments cite. */
export function rulesCitedIn({ path, text }: SourceFile): string[] {
  const { prose } = wordsOf(path, text);
  return prose.flatMap((words) => [...words.matchAll(CITATION)].flatMap(([, , list = '']) => list.split(', ')));
}

function citationBreaches(words: string, ids: readonly string[], isAboutIds: boolean): string[] {
  return [...words.matchAll(CITATION)].flatMap(([whole, word = '', list = '', step]) => {
    const named = list.split(', ');
    const isPlural = word.toLowerCase() === 'rules';
    return [
      ...named.filter((id) => !ids.includes(id)).map((id) => `no rule ${id}: ${whole}`),
      ...(isAboutIds || isPlural === named.length > 1 ? [] : [`rule of one, rules of several: ${whole}`]),
      ...(step === undefined ? [] : [`a comma before the step: ${whole}`]),
    ];
  });
}

function bareIds(words: string): string[] {
  const rest = words.replace(CITATION, ' ');
  return [...rest.matchAll(BARE)].map(({ 0: id, index }) => {
    return `not cited as (rule ${id}): ${rest.slice(Math.max(0, index - 30), index + 20)}`;
  });
}

function orphanWords(words: string): string[] {
  return [...words.replace(ORDINARY, '').matchAll(/.{0,30}contract.{0,20}/gi)].map(
    ([found]) => `leads nowhere: ${found}`,
  );
}

/** A comment stands before a token; as a child of what it documents, it would be read twice. */
const WITHOUT_JSDOC = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };

/** What people read, each comment or paper in one line; and the texts of string literals. */
function wordsOf(path: string, text: string): { prose: string[]; strings: string[] } {
  if (!/\.(ts|mjs|js)$/.test(path)) return { prose: [text.replaceAll(/\s+/g, ' ')], strings: [] };
  const source = ts.createSourceFile(path, text, WITHOUT_JSDOC);
  const prose: string[] = [];
  const strings: string[] = [];
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    const comment = text.slice(node.pos, node.getStart(source, false));
    if (comment.trim() !== '') prose.push(lineOf(comment));
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      strings.push(lineOf(node.text));
  };
  visit(source);
  return { prose, strings };
}

/** A comment that runs over several lines, as it is read. */
function lineOf(comment: string): string {
  return comment.replaceAll(/^\s*(\/\*\*?|\/\/|\*(?!\/))/gm, ' ').replaceAll(/\s+/g, ' ');
}
