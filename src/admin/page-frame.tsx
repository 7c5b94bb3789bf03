import type { Child, Markup } from './console/html/markup.ts';

export interface PageFrame {
  /** Of the window, in full. */
  title: string;
  /** Where its style and icon are had. */
  style: string;
  icon: string;
  /** The script that keeps the page fresh; absent: it needs none. */
  script?: string;
  /** Above the content: where one is, and who one is. */
  header: Child;
  /** What of the page that script keeps fresh; absent: nothing. */
  live?: string | undefined;
  children: Child;
}

/** A page as text, in the frame that the console and the buyers' portal share. */
export function framed({ title, style, icon, script, header, live, children }: PageFrame): string {
  const head = (
    <>
      <link rel="stylesheet" href={style} />
      <link rel="icon" type="image/svg+xml" href={icon} />
      {script !== undefined && <script src={script} defer />}
    </>
  );
  const body = (
    <>
      <a class="skip" href="#content">
        Skip to the page
      </a>
      <header class="top">{header}</header>
      <main id="content" data-live={live}>
        {children}
      </main>
    </>
  );
  return documentOf({ title, head, body });
}

/** A document of ours as text; `head` is what its head has besides. */
export function documentOf({ title, head, body }: { title: string; head: Child; body: Child }): string {
  const page: Markup = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        {head}
      </head>
      <body>{body}</body>
    </html>
  );
  return `<!doctype html>\n${page.toString()}\n`;
}
