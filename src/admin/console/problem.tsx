import type { ErrorBody } from '../../platform/errors.ts';
import type { Child, Markup } from './html/markup.ts';
import { Facts } from './parts/table.tsx';
import { Said } from './parts/words.tsx';

/** What went wrong, and what may be done about it. */
export function problemBody(
  { code, message, field, suggestion }: ErrorBody,
  { request_id, back, home = '/admin' }: { request_id?: string | undefined; back?: string | undefined; home?: string },
): Markup {
  return (
    <>
      <h1>That did not work</h1>
      <p class="note bad" role="alert">
        <Said>{message}</Said>
      </p>
      <Facts
        of={[
          ['Code', code],
          ['Field', field],
          ['What to do', suggestion],
          ['Request', request_id],
        ]}
      />
      <p>
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

/** That an action has been taken, until the page is loaded anew. `here`: the page without saying so. */
export function doneNotice(action: string, here: string, undo: Child): Markup {
  return (
    <div class="note" role="status">
      <p>
        {`Done: ${action.replaceAll(/[._]/g, ' ')}. `}
        <a href={here}>OK</a>
      </p>
      {undo}
    </div>
  );
}
