import { escaped, Markup, rendered } from './markup.ts';
import type { Child } from './markup.ts';

/** An attribute's value; absent where it is nothing or false, bare where it is true. */
type Value = string | number | boolean | null | undefined;
type Attributes = Record<string, Value | Child> & { children?: Child };

/** What TypeScript wants to know of tags. Attributes have their names of HTML. */
// eslint-disable-next-line @typescript-eslint/no-namespace -- where TypeScript looks for it
export declare namespace JSX {
  type Element = Markup;
  interface ElementChildrenAttribute {
    children: unknown;
  }
  type IntrinsicElements = Record<string, Attributes>;
}

/** Elements without an end tag (HTML Living Standard, 13.1.2). */
const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);

/** What a tag becomes: an element of HTML, or whatever the function of its name makes of its attributes. */
export function jsx(type: string | ((props: never) => Markup), props: Attributes): Markup {
  if (typeof type === 'function') return type(props as never);
  const { children, ...attributes } = props;
  const start = `<${type}${Object.entries(attributes).map(attribute).join('')}>`;
  return new Markup(VOID.has(type) ? start : `${start}${rendered(children)}</${type}>`);
}

export const jsxs = jsx;

/** Children without an element around them. */
export function Fragment({ children }: { children?: Child }): Markup {
  return new Markup(rendered(children));
}

function attribute([name, value]: [string, Value | Child]): string {
  if (value === undefined || value === null || value === false) return '';
  if (!/^[a-z][a-z0-9-]*$/i.test(name)) throw new Error(`${name} is no attribute`);
  if (value === true) return ` ${name}`;
  return ` ${name}="${escaped(typeof value === 'number' ? String(value) : textOf(value))}"`;
}

function textOf(value: Value | Child): string {
  if (typeof value === 'string') return value;
  throw new Error('an attribute is a text or a number');
}
