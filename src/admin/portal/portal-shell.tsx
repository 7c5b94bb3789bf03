import { ICON_PATH, STYLE_PATH } from '../console/files.ts';
import type { Markup } from '../console/html/markup.ts';

/** Where all of the portal is. */
export const PORTAL = '/portal';

export interface PortalPage {
  title: string;
  body: Markup;
  /** Which entry of the menu it belongs to. */
  menu?: string;
}

const MENU = [
  ['', 'Webhooks'],
  ['/receivers', 'Receivers'],
] as const;

/** A page in the portal's frame. `name`: of the organization; absent where nobody is signed in. */
export function portalShell({ title, body, menu, name }: PortalPage & { name?: string | undefined }): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · webhooks`}</title>
        <link rel="stylesheet" href={`${PORTAL}${STYLE_PATH}`} />
        <link rel="icon" type="image/svg+xml" href={`${PORTAL}${ICON_PATH}`} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the page
        </a>
        <header class="top">
          <a class="name" href={PORTAL}>
            Your webhooks
          </a>
          {name !== undefined && (
            <>
              <span class="who">
                <bdi>{name}</bdi>
                {' · '}
                <a href={`${PORTAL}/sign-out`}>Sign out</a>
              </span>
              <nav aria-label="Portal">
                <ul>
                  {MENU.map(([path, label]) => (
                    <li>
                      <a href={`${PORTAL}${path}`} aria-current={path === menu && 'page'}>
                        {label}
                      </a>
                    </li>
                  ))}
                </ul>
              </nav>
            </>
          )}
        </header>
        <main id="content">{body}</main>
      </body>
    </html>
  );
  return `<!doctype html>\n${page.toString()}\n`;
}
