import type { Child, Markup } from '../html/markup.ts';

interface ToCopyProps {
  /** Of this text on its page. */
  id: string;
  /** What the button calls it. */
  what: string;
  /** It is not shown again. */
  isOnce?: boolean;
  children?: Child;
}

/** A text to be taken elsewhere: selected by hand or, where the page's script runs, by a button, which nothing else shows. */
export function ToCopy({ id, what, isOnce = false, children }: ToCopyProps): Markup {
  return (
    <>
      <pre tabindex={0} class={isOnce ? 'once' : undefined} id={id}>
        {children}
      </pre>
      <button type="button" class="copy" hidden data-copies={id}>
        {`Copy ${what}`}
      </button>
    </>
  );
}
