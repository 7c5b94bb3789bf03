import { isUtf8 } from 'node:buffer';
import { INPUT_LIMITS } from './input-limits.ts';
import { InputRefusal } from './input-refusal.ts';

/** A form's fields by name; one that is sent more than once has all its values. */
export type FormFields = Record<string, string | string[]>;

/**
 * Reads `application/x-www-form-urlencoded` (rule S1).
 * @throws {InputRefusal} for more fields than any form of ours has, or other bytes than UTF-8.
 */
export function parseForm(bytes: Buffer): FormFields {
  if (!isUtf8(bytes)) throw new InputRefusal('unreadable', 'the form is not in UTF-8');
  const text = bytes.toString('utf8');
  const most = INPUT_LIMITS.formFields;
  if (text.split('&', most + 1).length > most) throw new InputRefusal('shape', `a form has at most ${most} fields`);
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]));
}
