import type { Markup } from '../html/markup.ts';

interface MenuProps {
  /** Whose menu, for those who do not see it. */
  label: string;
  entries: readonly { href: string; label: string }[];
  /** Where one is. */
  current: string | undefined;
}

/** The menu: a line or two of links; where there is little room, behind a word that opens it, without script. */
export function Menu({ label, entries, current }: MenuProps): Markup {
  const here = entries.find(({ href }) => href === current);
  return (
    <>
      <details class="menu">
        <summary>{here === undefined ? 'Menu' : `Menu: ${here.label}`}</summary>
      </details>
      <nav aria-label={label}>
        <ul>
          {entries.map(({ href, label: name }) => (
            <li>
              <a href={href} aria-current={href === current && 'page'}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}
