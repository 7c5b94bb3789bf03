import { markdownText, markupText, pathSegment } from './escape.ts';
import type { BadgeVerdict } from './subject.ts';

/** Where a badge is and what it links to. */
export function badgeUrls(baseUrl: string, { agent_url, role, version }: BadgeVerdict) {
  const agent = pathSegment(agent_url);
  return {
    badge_svg_url: `${baseUrl}/api/registry/agents/${agent}/badge/${role}/${version}.svg`,
    registry_url: `${baseUrl}/registry/agents/${agent}`,
  };
}

/** What a badge says in words, the release included. */
export function badgeLabel(protocolName: string, { role, version, verified }: BadgeVerdict): string {
  return `${protocolName} ${version} ${role}: ${verified ? 'Verified' : 'Not Verified'}`;
}

/** Snippets to paste into a page, pointing at the version-pinned SVG (rule C.resources.badge). */
export function snippets(
  urls: { badge_svg_url: string; registry_url: string },
  alt: string,
): { html: string; markdown: string } {
  const { badge_svg_url, registry_url } = urls;
  return {
    html: `<a href="${markupText(registry_url)}"><img src="${markupText(badge_svg_url)}" alt="${markupText(alt)}" height="20"></a>`,
    markdown: `[![${markdownText(alt)}](${badge_svg_url})](${registry_url})`,
  };
}
