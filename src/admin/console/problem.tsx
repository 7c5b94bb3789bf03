import type { ErrorBody } from '../../platform/errors.ts';
import type { RefusedForm } from './refused-form.ts';
import type { Child, Markup } from './html/markup.ts';
import { Facts } from './parts/table.tsx';
import { Said } from './parts/words.tsx';

interface Wrong {
  request_id?: string | undefined;
  /** Where whoever is told of it came from. */
  back?: string | undefined;
  /** What `back` must be below of. */
  home?: string;
  /** Whether it is a form's answer: what is wrong has the focus then, not the frame around it. */
  isOfForm?: boolean;
  /** What may be asked for again. */
  again?: string | undefined;
  /** The form itself, to be mended here: then what is wrong in it has the focus. */
  refused?: RefusedForm | undefined;
}

/** What went wrong, and what may be done about it. */
export function problemBody(
  { code, message, field, suggestion }: ErrorBody,
  { request_id, back, home = '/admin', isOfForm = false, again, refused }: Wrong,
): Markup {
  return (
    <>
      <h1>That did not work</h1>
      <p class="note bad" role="alert" tabindex={isOfForm && -1} autofocus={isOfForm && refused?.label === undefined}>
        <Said>{refused?.message ?? message}</Said>
      </p>
      {refused !== undefined && <div class="forms more">{refused.form}</div>}
      <Facts
        of={[
          ['Code', code],
          ['Field', refused?.label ?? field],
          ['What to do', suggestion],
          ['Request', request_id],
        ]}
      />
      <p class="pages">
        {again !== undefined && <a href={again}>Try again</a>}
        <a href={placeOf(back, home)}>Back</a>
      </p>
    </>
  );
}

/** Where the form stood, if that was the console, or whatever else is below `home`. */
function placeOf(referer: string | undefined, home: string): string {
  const path = referer === undefined ? undefined : /^https?:\/\/[^/]+(\/[^\\]*)$/.exec(referer)?.[1];
  return path === undefined || !path.startsWith(home) || path.includes('//') ? home : path;
}

/**
 * That an action has been taken, until the page is loaded anew; it has the focus.
 * @param words what has been done, in a sentence.
 * @param here the page without saying so.
 */
export function doneNotice(words: string, here: string, undo: Child): Markup {
  return (
    <div class="note" role="status" tabindex={-1} autofocus>
      <p>
        <Said>{words}</Said> <a href={here}>OK</a>
      </p>
      {undo}
    </div>
  );
}
