import { z } from 'zod';
import { BadgeProof, BadgeRole, BadgeStep } from '../../directory/badge/badge.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { strongEtag } from '../../platform/etag.ts';
import { endpoint } from '../endpoint.ts';
import type { Answer, EndpointCall, ResponseSpec } from '../endpoint.ts';
import { markdownText, markupText, pathSegment } from './escape.ts';
import { signedStatement } from './signed-statement.ts';
import { PinnedParams, UnpinnedParams, badgeVerdict } from './subject.ts';
import type { BadgeVerdict } from './subject.ts';
import { badgeSvg, badgeWords } from './svg.ts';

const STEPS =
  'declared: the agent says so; protected: it asks for a credential, as its card says, and more is not known; verified: calls of the role were answered rightly; null: no badge';

/**
 * An embed (rule C.resources.badge); beside these there is `{protocol}_version`, whose name is configured (rule N1).
 */
const BadgeEmbed = z
  .looseObject({
    agent_url: z.string(),
    role: BadgeRole,
    verified: z.boolean(),
    step: BadgeStep.nullable().describe(STEPS),
    verification_url: z.string().describe('The same as a signed statement, for machines'),
    badge_svg_url: z.string(),
    registry_url: z.string(),
    html: z.string(),
    markdown: z.string(),
  })
  .meta({
    description: 'Beside these fields, one named after the protocol holds the release as MAJOR.MINOR',
  });

const LIMIT = 'badges';
const CACHED = { 'Cache-Control': 'public, max-age=300' };
const PATH = '/api/registry/agents/{encodedUrl}/badge/{role}';
const EMBED: Record<number, ResponseSpec> = { 200: { description: 'The badge and its snippets', schema: BadgeEmbed } };
const SVG: Record<number, ResponseSpec> = {
  200: { description: 'The badge as a picture', contentType: 'image/svg+xml' },
};
const shared = { method: 'get', tag: 'Badges', access: 'public', effect: 'read', limit: LIMIT } as const;

/** Snippets that show the badge of one release (rules C.endpoints.badge, R11). */
export const badgeEmbed = endpoint({
  ...shared,
  id: 'badgeEmbed',
  path: `${PATH}/{version}/embed`,
  summary: 'Snippets that show a badge, pinned to a protocol release',
  params: PinnedParams,
  responses: EMBED,
  handle: ({ params }, call) => embed(params, call),
});

/** The legacy route without a version; its snippets are pinned all the same (rule C.versioning.badge). */
export const badgeEmbedUnpinned = endpoint({
  ...shared,
  id: 'badgeEmbedUnpinned',
  path: `${PATH}/embed`,
  summary: 'Snippets that show a badge, in the newest release it was earned in (legacy)',
  params: UnpinnedParams,
  responses: EMBED,
  handle: ({ params }, call) => embed(params, call),
});

/** The picture of the badge of one release (rule R11). */
export const badgePicture = endpoint({
  ...shared,
  id: 'badgeSvg',
  path: `${PATH}/{version}.svg`,
  summary: 'A badge as a picture, pinned to a protocol release',
  params: PinnedParams,
  responses: SVG,
  handle: ({ params }, call) => picture(params, call),
});

/** The legacy route without a version (rule R11). */
export const badgePictureUnpinned = endpoint({
  ...shared,
  id: 'badgeSvgUnpinned',
  path: `${PATH}.svg`,
  summary: 'A badge as a picture, in the newest release it was earned in (legacy)',
  params: UnpinnedParams,
  responses: SVG,
  handle: ({ params }, call) => picture(params, call),
});

const Verification = z
  .looseObject({
    ...{ agent_url: z.string(), role: BadgeRole, verified: z.boolean(), step: BadgeStep.nullable().describe(STEPS) },
    proof: BadgeProof.nullable().describe('What was seen'),
    reason: z.string().nullable().describe('Why it is not verified'),
    checked_at: z.string().nullable().describe('When a check last passed'),
    expires_at: z.string().nullable().describe('Until when to believe the statement'),
    issuer: z.string(),
    keys: z.string().describe('The key set that the statement is verified with'),
    jwt: z.string().nullable().describe('The statement, signed (RFC 7519); null for what is not verified'),
  })
  .meta({ description: 'Beside these fields, one named after the protocol holds the release as MAJOR.MINOR' });
const VERIFICATION: Record<number, ResponseSpec> = {
  200: { description: 'What is known, and a signed statement of it where it is verified', schema: Verification },
};

/** What a badge says, for machines, and signed (rule R11.verified). */
export const badgeVerification = endpoint({
  ...shared,
  id: 'badgeVerification',
  path: `${PATH}/{version}/verification.json`,
  summary: 'What a badge says, as a signed statement',
  params: PinnedParams,
  responses: VERIFICATION,
  handle: ({ params }, call) => verification(params, call),
});

/** The same of the newest release that the agent is verified in. */
export const badgeVerificationUnpinned = endpoint({
  ...shared,
  id: 'badgeVerificationUnpinned',
  path: `${PATH}/verification.json`,
  summary: 'What a badge says, as a signed statement, in the newest release it was earned in',
  params: UnpinnedParams,
  responses: VERIFICATION,
  handle: ({ params }, call) => verification(params, call),
});

type Params = z.infer<typeof UnpinnedParams> & { version?: string };

async function embed(params: Params, call: EndpointCall): Promise<Answer> {
  const { names, baseUrl } = call;
  const verdict = await badgeVerdict(call, params);
  const urls = badgeUrls(baseUrl(), verdict);
  const { agent_url, role, verified, step = null, version } = verdict;
  const told = snippets(urls, badgeLabel(names.name, verdict));
  return {
    body: { agent_url, role, verified, step, ...urls, ...told, [names.versionField]: version },
    headers: CACHED,
  };
}

async function verification(params: Params, call: EndpointCall): Promise<Answer> {
  const { names, baseUrl, clock } = call;
  const [verdict, signer] = [await badgeVerdict(call, params), await call.signer()];
  const { agent_url, role, verified, step = null, version, badge } = verdict;
  const issuer = baseUrl();
  const statement = await signedStatement(verdict, signer, { issuer, nowMs: clock.now() });
  return {
    body: {
      ...{ agent_url, role, verified, step, [names.versionField]: version },
      ...{ proof: badge?.proof ?? null, reason: badge?.reason ?? null, checked_at: badge?.passed_at ?? null },
      expires_at: statement === undefined ? null : toTimestamp(statement.expires_at_ms),
      ...{ issuer, keys: signer.jku, jwt: statement?.jwt ?? null },
    },
    headers: CACHED,
  };
}

async function picture(params: Params, call: EndpointCall): Promise<Answer> {
  const verdict = await badgeVerdict(call, params);
  const text = badgeSvg(`${call.names.name} ${verdict.version} ${verdict.role}`, verdict.step ?? 'none');
  return {
    text,
    headers: {
      ...CACHED,
      ETag: strongEtag(text),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
    },
  };
}

/** Where a badge is and what it links to. */
function badgeUrls(baseUrl: string, { agent_url, role, version }: BadgeVerdict) {
  const agent = pathSegment(agent_url);
  return {
    badge_svg_url: `${baseUrl}/api/registry/agents/${agent}/badge/${role}/${version}.svg`,
    verification_url: `${baseUrl}/api/registry/agents/${agent}/badge/${role}/${version}/verification.json`,
    registry_url: `${baseUrl}/registry/agents/${agent}`,
  };
}

/** What a badge says in words, the release included. */
function badgeLabel(protocolName: string, verdict: BadgeVerdict): string {
  return `${protocolName} ${verdict.version} ${verdict.role}: ${badgeWords(verdict.step ?? 'none')}`;
}

/** Snippets to paste into a page, pointing at the version-pinned SVG (rule C.resources.badge). */
function snippets(
  urls: { badge_svg_url: string; registry_url: string },
  alt: string,
): { html: string; markdown: string } {
  const { badge_svg_url, registry_url } = urls;
  return {
    html: `<a href="${markupText(registry_url)}"><img src="${markupText(badge_svg_url)}" alt="${markupText(alt)}" height="20"></a>`,
    markdown: `[![${markdownText(alt)}](${badge_svg_url})](${registry_url})`,
  };
}
