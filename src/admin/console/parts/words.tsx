import { shownAmount } from '../../../platform/money.ts';
import { whoWords } from '../../operator/who-words.ts';
import type { Child, Markup } from '../html/markup.ts';

/** A text of somebody else's, if there is one: its direction is its own affair. */
export function Said({ children }: { children?: Child }): Markup {
  return children === undefined || children === null || children === '' ? <></> : <bdi>{children}</bdi>;
}

/** Who did something. */
export function Who({ of }: { of: string }): Markup {
  return <Said>{whoWords(of)}</Said>;
}

/** An id, and the page that it leads to. */
export function IdLink({ of, to }: { of: string; to?: string }): Markup {
  return to === undefined ? (
    <span class="id" title={of}>
      {of}
    </span>
  ) : (
    <a class="id" href={`/admin${to}`} title={of}>
      {of}
    </a>
  );
}

/** An id of which each character counts, such as one that begins as others do: not cut, and in one line. */
export function WholeId({ of }: { of: string | undefined }): Markup {
  return of === undefined ? <></> : <span class="id whole">{of}</span>;
}

/** Address of a page below, with an id of anybody's making in it. Pure. */
export function pageOfId(list: string, id: string): string {
  return `${list}/${encodeURIComponent(id)}`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How long ago, or how soon, with the instant itself beside it. `now` in milliseconds. */
export function When({ at, now }: { at: string | null | undefined; now: number }): Markup {
  if (at === null || at === undefined || at === '') return <span class="quiet">never</span>;
  return (
    <time datetime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
      {agoOf(Date.parse(at) - now)}
    </time>
  );
}

function agoOf(away: number): string {
  const [unit, length] = UNITS.find((one) => Math.abs(away) >= one[1]) ?? ['second', 1_000];
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(Math.round(away / length), unit);
}

/** A day, or a day and an hour, of UTC. */
export function Day({ at }: { at: string }): Markup {
  return (
    <time datetime={at}>{at.endsWith('T00:00:00.000Z') ? at.slice(0, 10) : at.slice(0, 16).replace('T', ' ')}</time>
  );
}

/** An amount in its currency, with that currency's own digits. */
export function Money({ of, currency }: { of: number | null | undefined; currency: string }): Markup {
  if (of === null || of === undefined) return <span class="quiet">-</span>;
  return <span>{shownAmount(of, currency)}</span>;
}

/** A whole number. */
export function Count({ of }: { of: number }): Markup {
  return <span>{new Intl.NumberFormat('en').format(of)}</span>;
}

const TONES: Readonly<Record<string, string>> = {
  ...{ active: 'good', completed: 'good', approved: 'good', delivered: 'good', done: 'good', ok: 'good' },
  ...{ signing: 'good', upcoming: 'warn', retiring: 'warn', revoked: 'bad' },
  ...{ pending: 'warn', asked: 'warn', paused: 'warn', working: 'warn', submitted: 'warn', refused: 'warn' },
  ...{ 'input-required': 'warn', pending_review: 'warn', processing: 'warn', suspended: 'warn', begun: 'warn' },
  ...{ warning: 'warn', error: 'bad', success: 'good', timeout: 'bad', connection_error: 'bad' },
  ...{
    answering: 'good',
    failing: 'bad',
    refusing: 'bad',
    exhausted: 'bad',
    gone: 'bad',
    expired: 'bad',
    blocked: 'bad',
  },
  ...{ failed: 'bad', rejected: 'bad', canceled: 'bad', impaired: 'bad' },
};

/** How something stands: the word says it, and the colour only repeats it. */
export function State({ of }: { of: string }): Markup {
  return <span class={`mark ${TONES[of] ?? 'quiet'}`}>{of.replaceAll('_', ' ')}</span>;
}

/** Names as words, abbreviations as people write them. Pure. */
export function inWords(name: string): string {
  return name.replaceAll('_', ' ').replaceAll(/\b(?:ctv|dooh)\b/g, (word) => word.toUpperCase());
}

/** Names of fields and tasks as words that begin a line. Pure. */
export function headingOf(name: string): string {
  const words = inWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Data as it is, for whoever must see all of it. */
export function Data({ of }: { of: unknown }): Markup {
  return <pre tabindex={0}>{JSON.stringify(of, null, 2)}</pre>;
}
