import { createHash } from 'node:crypto';

interface HtmlPage {
  title: string;
  /** Stands in the page, which is sent under a policy that names it by {@link styleSource}; or is had at an address of this origin. */
  style: string | { href: string };
  body: string;
}

/** A page for people: no script, nothing loaded from elsewhere. The caller has escaped what is put into it. */
export function htmlPage({ title, style, body }: HtmlPage): string {
  const styled =
    typeof style === 'string' ? `<style>${style}</style>` : `<link rel="stylesheet" href="${escapeHtml(style.href)}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${styled}
</head>
<body><main>
${body}
</main></body>
</html>
`;
}

/** Text as it stands in HTML, between tags or in an attribute's double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** What a Content-Security-Policy calls this very style in a page, and no other: its hash (CSP Level 3, section 2.3.1). */
export function styleSource(style: string): string {
  return `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
}
