import type { Operator } from '../../directory/operator/operator.ts';
import { ICON_URL, SCRIPT_URL, STYLE_URL } from './files.ts';
import { framed } from '../page-frame.tsx';
import type { Markup } from './html/markup.ts';
import { Menu } from './parts/menu.tsx';

export interface ShellOptions {
  title: string;
  /** The menu's entries. */
  menu?: readonly { path: string; label: string }[];
  /** Which of them the page belongs to. */
  current?: string;
  /** Absent: it is not known who asks, and the menu, which needs that, is left out. */
  operator?: Operator;
  /** What the page tells of, for the script that keeps it fresh; absent: nothing does. */
  live?: string | undefined;
  /** Told above every page: what is out of order. */
  attention?: Markup | undefined;
  /** Told above the page: what has just been done. */
  notice?: Markup | undefined;
  body: Markup;
}

/** A page in the console's frame. */
export function consoleShell(options: ShellOptions): string {
  const { title, menu = [], current = 'none', operator, live, attention, notice, body } = options;
  return framed({
    ...{ title: `${title} · media-buy-agent`, style: STYLE_URL, icon: ICON_URL, script: SCRIPT_URL, live },
    header: (
      <>
        <a class="name" href="/admin">
          media-buy-agent
        </a>
        {operator !== undefined && (
          <>
            <form class="find" role="search" action="/admin/search">
              <input id="search" type="search" name="q" maxlength="512" aria-label="Search" placeholder="Search (/)" />
            </form>
            <span class="who">
              <a href="/admin/me">
                <bdi>{operator.name}</bdi>
              </a>
              {`, ${operator.role} · `}
              <a href="/admin/sign-out">Sign out</a>
            </span>
            <Menu
              label="Console"
              entries={menu.map(({ path, label }) => ({ href: `/admin${path}`, label }))}
              current={`/admin${current}`}
            />
          </>
        )}
      </>
    ),
    children: (
      <>
        {attention}
        {notice}
        {body}
      </>
    ),
  });
}
