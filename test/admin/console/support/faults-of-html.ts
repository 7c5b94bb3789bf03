import { createHash } from 'node:crypto';

/** What of a page runs or styles without leave: by its tags, of which what is escaped is none. `policy`: what it was sent under. */
export function faultsOfHtml(html: string, policy: string): string[] {
  const faults: string[] = [];
  for (const [, style = ''] of html.matchAll(/<style[^>]*>(.*?)<\/style>/gs)) {
    const hash = createHash('sha256').update(style).digest('base64');
    if (!policy.includes(`'sha256-${hash}'`)) faults.push('has a style that its policy does not name');
  }
  for (const [tag] of html.replaceAll(/<style[^>]*>.*?<\/style>/gs, '').matchAll(/<[a-z][^>]*>/gi)) {
    const names = tag.replaceAll(/="[^"]*"/g, '=');
    if (/\s(?:style|on[a-z]+)\s*=/i.test(names) || /['`]/.test(names)) faults.push(`has ${tag}`);
    if (/^<script(?![^>]* src=)(?![^>]*type="application\/json")/i.test(tag)) faults.push(`has ${tag}`);
    if (/\s(?:href|src|action)="\s*(?:javascript|data|vbscript):/i.test(tag)) faults.push(`has ${tag}`);
  }
  return faults;
}
