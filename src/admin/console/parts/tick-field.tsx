import type { Child, Markup } from '../html/markup.ts';

/** The field of a form that names what is ticked: a form has no other way to send what is true. */
export const TICKED = '_ticked';

/** What is true where it is ticked, and else not said. */
export function TickField({
  name,
  children,
  isNeeded = false,
}: {
  name: string;
  children: Child;
  isNeeded?: boolean;
}): Markup {
  return (
    <label class="tick">
      <input type="checkbox" name={TICKED} value={name} required={isNeeded} />
      <span>{children}</span>
    </label>
  );
}
