import type { Operator } from '../../directory/operator/operator.ts';
import type { Markup } from './html/markup.ts';

export interface ShellOptions {
  title: string;
  /** The menu's entries. */
  menu: readonly { path: string; label: string }[];
  /** Which of them the page belongs to. */
  current: string;
  operator: Operator;
  /** Where the style is served: its address changes with what it says. */
  styleUrl: string;
  /** Told above the page: what has just been done. */
  notice?: Markup | undefined;
  body: Markup;
}

/** A page in the console's frame. */
export function consoleShell({ title, menu, current, operator, styleUrl, notice, body }: ShellOptions): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · media-buy-agent`}</title>
        <link rel="stylesheet" href={styleUrl} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the page
        </a>
        <header class="top">
          <a class="name" href="/admin">
            media-buy-agent
          </a>
          <span class="who">
            <a href="/admin/me">
              <bdi>{operator.name}</bdi>
            </a>
            {`, ${operator.role} · `}
            <a href="/admin/sign-out">Sign out</a>
          </span>
          <nav aria-label="Console">
            <ul>
              {menu.map(({ path, label }) => (
                <li>
                  <a href={`/admin${path}`} aria-current={path === current && 'page'}>
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </header>
        <main id="content">
          {notice}
          {body}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>\n${page.toString()}\n`;
}
