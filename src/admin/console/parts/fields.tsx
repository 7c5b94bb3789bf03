import type { Markup } from '../html/markup.ts';

/** One line of text. */
export function LineField({
  name,
  label,
  hint,
  type = 'text',
  value,
  isNeeded = false,
}: {
  name: string;
  label: string;
  hint?: string;
  type?: 'text' | 'email';
  /** What stands in it at first. */
  value?: string;
  isNeeded?: boolean;
}): Markup {
  return (
    <label>
      {label}
      {hint !== undefined && <span class="quiet">{hint}</span>}
      <input type={type} name={name} value={value} maxlength={254} required={isNeeded} autocomplete="off" />
    </label>
  );
}

/** One of a few. */
export function ChoiceField({
  name,
  label,
  choices,
  chosen,
}: {
  name: string;
  label: string;
  /** What is sent, and what is shown. */
  choices: readonly (readonly [value: string, shown: string])[];
  chosen?: string;
}): Markup {
  return (
    <label>
      {label}
      <select name={name}>
        {choices.map(([value, shown]) => (
          <option value={value} selected={value === chosen}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Any of a few; all are chosen at first. */
export function SeveralField({
  name,
  label,
  choices,
}: {
  name: string;
  label: string;
  choices: readonly (readonly [value: string, means: string])[];
}): Markup {
  return (
    <fieldset>
      <legend>{label}</legend>
      {choices.map(([value, means]) => (
        <label class="tick">
          <input type="checkbox" name={name} value={value} checked />
          <span>
            {value}
            <span class="quiet">{`: ${means}`}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** What has to be typed before something is done that cannot be taken back. */
export function TypedField({ phrase, name = '_typed' }: { phrase: string; name?: string }): Markup {
  return (
    <label>
      <span>
        {'To confirm, type '}
        <bdi class="id">{phrase}</bdi>
      </span>
      <input type="text" name={name} required autocomplete="off" autocapitalize="off" spellcheck="false" />
    </label>
  );
}

/** What somebody types to confirm: the name, where a keyboard has all of it, else the id. Pure. */
export function phraseOf(name: string, id: string): string {
  return /^[!-~](?: ?[!-~]){0,59}$/.test(name) ? name : id;
}
