import { TICKED } from '../parts/tick-field.tsx';
import { escaped, Markup } from './markup.ts';

/** A form as a page has it. */
export interface FormIn {
  text: string;
  /** What stands beside what one fills in, by the name that it is sent under. */
  labels: ReadonlyMap<string, string>;
  /** What is sent with it unseen. */
  hidden: ReadonlyMap<string, string>;
}

const FIELD = /<input\b[^>]*>|<textarea\b[^>]*>[^<]*<\/textarea>|<select\b[^>]*>.*?<\/select>/gs;

/** The forms of a page of ours that are sent to an address: it is written by this folder, so that no `>` stands in a tag. Pure. */
export function formsSentTo(page: Markup, action: string): FormIn[] {
  return [...page.toString().matchAll(/<form\b[^>]*>.*?<\/form>/gs)]
    .filter(([text]) => attributeOf(text, 'action') === action)
    .map(([text]) => {
      const [labels, hidden] = [new Map<string, string>(), new Map<string, string>()];
      for (const { 0: field, index } of text.matchAll(FIELD)) {
        const name = nameOf(field);
        if (name === undefined) continue;
        if (attributeOf(field, 'type') === 'hidden') hidden.set(name, attributeOf(field, 'value') ?? '');
        else labels.set(name, labelAt(text, index));
      }
      return { text, labels, hidden };
    });
}

/**
 * The form as it was filled in, with what is wrong said at its field, which has the focus. What the console sends unseen, and what is
 * typed to confirm, stays as the page has it. Pure.
 */
export function refilled(
  { text }: FormIn,
  sent: ReadonlyMap<string, readonly string[]>,
  wrong?: { name: string; words: string },
): Markup {
  let isMarked = false;
  const filled = text.replaceAll(FIELD, (field) => {
    const name = nameOf(field);
    if (name === undefined || attributeOf(field, 'type') === 'hidden') return field;
    const shown = name.startsWith('_') ? field : withValues(field, sent.get(attributeOf(field, 'name') ?? '') ?? []);
    if (name !== wrong?.name || isMarked) return shown;
    isMarked = true;
    return shown.replace(/^<\w+/, `$& aria-invalid="true" aria-describedby="${WRONG}" autofocus`);
  });
  const marked = filled.indexOf(`aria-describedby="${WRONG}"`);
  if (wrong === undefined || marked === -1) return new Markup(filled);
  const end = '</label>';
  const at = filled.indexOf(end, marked) + end.length;
  const words = `<p class="bad" id="${WRONG}">${escaped(wrong.words)}</p>`;
  return new Markup(filled.slice(0, at) + words + filled.slice(at));
}

/** There is one such form on a page. */
const WRONG = 'wrong';

function withValues(field: string, values: readonly string[]): string {
  const [value = ''] = values;
  if (field.startsWith('<textarea')) return field.replace(/>[^<]*</, () => `>${escaped(value)}<`);
  if (field.startsWith('<select'))
    return field.replaceAll(/<option\b[^>]*>/g, (option) => chosen(option, 'selected', values));
  if (isTick(field)) return chosen(field, 'checked', values);
  return field.replace(/ value="[^"]*"/, '').replace(/>$/, () => ` value="${escaped(value)}">`);
}

function chosen(tag: string, word: 'selected' | 'checked', values: readonly string[]): string {
  const without = tag.replace(` ${word}`, '');
  return values.includes(attributeOf(tag, 'value') ?? '') ? without.replace(/>$/, ` ${word}>`) : without;
}

function isTick(field: string): boolean {
  return ['checkbox', 'radio'].includes(attributeOf(field, 'type') ?? '');
}

/** What is ticked is named by its value. */
function nameOf(field: string): string | undefined {
  const name = attributeOf(field, 'name');
  return name === TICKED ? attributeOf(field, 'value') : name;
}

/** The words of the label around a field without its hint, or of the list that it is one of. */
function labelAt(form: string, index: number): string {
  const before = form.slice(0, index);
  const legend = before.lastIndexOf('<legend>');
  if (legend > before.lastIndexOf('</fieldset>')) return wordsOf(form.slice(legend, form.indexOf('</legend>', legend)));
  const label = before.lastIndexOf('<label');
  if (label <= before.lastIndexOf('</label>')) return '';
  return wordsOf(form.slice(label, form.indexOf('</label>', index)));
}

function wordsOf(html: string): string {
  const seen = html.replaceAll(FIELD, '').replaceAll(/<span class="quiet">[^<]*<\/span>/g, '');
  return shownText(seen.replaceAll(/<[^>]*>/g, '')).trim();
}

function attributeOf(element: string, name: string): string | undefined {
  const [tag = ''] = /^<[^>]*>/.exec(element) ?? [];
  const found = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : shownText(found);
}

/** The opposite of {@link escaped}. */
function shownText(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
}
