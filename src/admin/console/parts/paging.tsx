import type { Markup } from '../html/markup.ts';
import { headingOf } from './words.tsx';

interface TabsProps {
  /** Which of them, for those who do not see it. */
  label: string;
  /** The page, below `base`. */
  path: string;
  /** Default: `/admin`. */
  base?: string;
  name: string;
  choices: readonly string[];
  chosen: string;
  /** The choice that asks nothing. */
  none?: string;
  /** What stays as it is. */
  keeping?: Readonly<Record<string, string | undefined>>;
}

/** One list in several states, a link for each. */
export function Tabs({ label, path, name, choices, chosen, none, keeping = {}, base = '/admin' }: TabsProps): Markup {
  const hrefOf = (one: string) => `${base}${path}${queryOf({ ...keeping, [name]: one === none ? undefined : one })}`;
  return (
    <nav aria-label={label}>
      <ul class="tabs">
        {choices.map((one) => (
          <li>
            <a href={hrefOf(one)} aria-current={one === chosen && 'true'}>
              {headingOf(one)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The way to what comes after a page, and back to the first. */
export function Pages({
  path,
  query,
  cursor,
  base = '/admin',
}: {
  path: string;
  query: Readonly<Record<string, string | undefined>>;
  cursor: string | undefined;
  base?: string;
}): Markup {
  const { cursor: at, ...filters } = query;
  if (cursor === undefined && at === undefined) return <></>;
  return (
    <nav class="pages" aria-label="Pages">
      {at !== undefined && <a href={`${base}${path}${queryOf(filters)}`}>First page</a>}
      {cursor !== undefined && <a href={`${base}${path}${queryOf({ ...filters, cursor })}`}>Next page</a>}
    </nav>
  );
}

/** `?a=b` of what has a value. Pure. */
export function queryOf(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
