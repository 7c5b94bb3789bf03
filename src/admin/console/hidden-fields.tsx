import type { Markup } from './html/markup.ts';

/** The console's own fields of a form, whose names begin with `_`; those without a value are left out. */
export function hiddenFields(fields: Record<string, string | undefined>): Markup {
  return (
    <>
      {Object.entries(fields).map(
        ([name, value]) => value !== undefined && <input type="hidden" name={`_${name}`} value={value} />,
      )}
    </>
  );
}
