import { styleSource } from '../../platform/html-page.ts';
import { markupText } from '../badge/escape.ts';

/** A page for people who follow a link. Its body is escaped by who builds it. */
export interface PublicPage {
  /** As it is, not escaped. */
  title: string;
  /** The one address of what it shows; null for what is unknown: nobody is to list that. */
  canonical: string | null;
  body: string;
}

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; }
h1 { margin: 0; line-height: 1.25; overflow-wrap: anywhere; } h2 { margin-top: 2.5rem; font-size: 1.1rem; }
code, td { overflow-wrap: anywhere; } .quiet { opacity: .7; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
`;

/** Plain HTML with nothing loaded from elsewhere, and what forbids all else. */
export function publicPage({ title, canonical, body }: PublicPage): { text: string; headers: Record<string, string> } {
  const place =
    canonical === null
      ? '<meta name="robots" content="noindex">'
      : `<link rel="canonical" href="${markupText(canonical)}">`;
  return {
    text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${place}
<title>${markupText(title)} · registry</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
    headers: {
      'Cache-Control': 'public, max-age=60',
      'Content-Security-Policy': `default-src 'none'; style-src ${styleSource(STYLE)}; base-uri 'none'; frame-ancestors 'none'; form-action 'none'`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      ...(canonical === null && { 'X-Robots-Tag': 'noindex' }),
    },
  };
}

/** The day of a timestamp; a dash for none. */
export function day(timestamp: string | null): string {
  return timestamp === null ? '–' : markupText(timestamp.slice(0, 10));
}

/** From when until when, in words. */
export function period(from: string | null, until: string | null): string {
  if (from === null && until === null) return 'always';
  return `${from === null ? '' : `from ${day(from)}`}${until === null ? '' : ` until ${day(until)}`}`.trim();
}
