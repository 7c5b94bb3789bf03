/** A piece of HTML, made by this folder alone: whatever else stands among children is text. */
export class Markup {
  readonly #text: string;

  /** @param text well-formed, and escaped already. */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand between tags; nothing is shown of what is nothing, false or true. */
export type Child = Markup | string | number | boolean | null | undefined | readonly Child[];

/** Children as HTML: texts escaped, so that no word of a stranger is ever taken for a tag. Pure. */
export function rendered(child: Child): string {
  if (child instanceof Markup) return child.toString();
  if (typeof child === 'string') return escaped(child);
  if (typeof child === 'number') return String(child);
  if (typeof child === 'object' && child !== null) return child.map(rendered).join('');
  return '';
}

/** Text as it may stand in HTML, in an attribute's quotes, too; what controls rather than shows is a box. Pure. */
export function escaped(text: string): string {
  return text.replaceAll(UNSHOWN, '\uFFFD').replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Control characters besides the ends of lines, half characters, and what turns the direction of all that follows. */
const UNSHOWN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;
