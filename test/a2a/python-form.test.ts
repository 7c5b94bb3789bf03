import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { pythonForm } from '../../src/a2a/card/python-form.ts';
import type { JsonObject } from '../../src/platform/json-object.ts';

/** Written by a2a-sdk 1.3.0 for Python: `_canonicalize_agent_card(parse_agent_card(document))`. */
const FORMS = JSON.parse(await readFile(new URL('support/python-forms.json', import.meta.url), 'utf8')) as {
  name: string;
  document: JsonObject;
  form: string;
}[];

it.each(FORMS)('a card is put into the form that the Python SDK verifies: $name', ({ document, form }) => {
  expect(pythonForm(document)).toBe(form);
});
