import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const API = "The registry's API";

export const REGISTRY_API_RULES: readonly Requirement[] = [
  proved('C.resources.check-request', API, 'A property check takes `domains`, a list of at most 10,000 strings.'),
  proved(
    'C.resources.check-report',
    API,
    'A report has `summary` (`total`, `remove`, `modify`, `assess`, `ok`), a list of each of the four buckets, and `report_id`. Entries of `remove` and `modify` have `input`, `canonical` and `reason`, and blocked ones why; those of `assess` have `domain`, those of `ok` also `source`.',
  ),
  proved(
    'C.resources.operator',
    API,
    'An operator look-up answers `domain`, `member` (`slug`, `display_name`) and `agents`. Only a profile that its owner made public shows `is_founding_member` and, where there is a tier, `membership_tier` and `membership_tier_label`; the one does not depend on the other.',
  ),
  proved(
    'C.resources.operator-agents',
    API,
    'An agent in an operator look-up has `url`, `name` and `authorized_by`, a list of `publisher_domain` and `authorized_for`. Its visibility is `public`, `members_only` or `private`.',
  ),
  proved(
    'C.resources.organization-request',
    API,
    "A request for an organization has `organization_name`, `is_personal`, `company_type`, `revenue_tier` and `marketing_opt_in`. It can set neither tier nor corporate domain: the one comes from subscription events, the other from the user's e-mail.",
  ),
  proved(
    'C.resources.organization-opt-in',
    API,
    '`marketing_opt_in` is recorded once per user and not overwritten by a later call; it is apart from the consent to terms.',
  ),
  proved('C.resources.resolve', API, 'Bulk resolve takes `domains` and answers an object with the object `results`.'),
  proved(
    'C.resources.badge',
    API,
    'An embed answers `agent_url`, `role`, `verified`, `badge_svg_url`, `registry_url`, the release as `{p}_version` (rule N1), and snippets `html` and `markdown` whose alt text names the release.',
  ),
  proved(
    'C.resources.discovery',
    API,
    'A discovery answers `name`, `description`, `protocols`, `type`, `tools` (`name`, `description`), `tools_count` and `stats` (`format_count`, `product_count`, `publisher_count`).',
  ),
  proved(
    'C.resources.error',
    API,
    "The registry's refusals have the string `error`; those of discovery have the string `message` besides.",
  ),

  proved(
    'C.states.adoption.prospect',
    API,
    "When the domain of the caller's e-mail belongs to a prospect, an organization recorded and unclaimed, it is adopted and never doubled: the caller becomes `owner`, and the answer has `adopted: true`.",
  ),
  proved(
    'C.states.adoption.active',
    API,
    'An organization that is claimed stays as it is; the caller gets 409 with its id.',
  ),
  proved(
    'C.states.adoption.none',
    API,
    'A domain without organization gets a new one: the caller becomes `owner`, the domain counts as verified by e-mail, and the acceptance of terms and privacy is logged.',
  ),

  proved(
    'C.endpoints.check',
    API,
    '`POST /api/properties/check`, open to all, normalizes domains, drops copies, flags ad-tech infrastructure, finds what the registry does not know, and stores the report.',
  ),
  proved(
    'C.endpoints.operator',
    API,
    '`GET /api/registry/operator` shows strangers `public` agents, callers on a tier with API access `members_only` ones too, and the owner of the domain `private` ones. `scope` (`public`, `member`, `private`, `all`) only narrows: what is not unlocked is left out, never 403.',
  ),
  proved(
    'C.endpoints.organizations',
    API,
    '`POST /api/organizations` answers 2xx, whether it creates or adopts, exactly when the caller is then an owner.',
  ),
  proved(
    'C.endpoints.badge',
    API,
    '`GET /api/registry/agents/{encodedUrl}/badge/{role}/{version}/embed` answers HTML and Markdown that show the SVG of that release.',
  ),
  proved(
    'C.endpoints.discover',
    API,
    '`GET /api/public/discover-agent` asks the agent at a URL who it is, for anybody.',
  ),
  proved(
    'C.endpoints.my-agents',
    API,
    '`POST /api/me/agents` makes the organization and member profile that a fresh user lacks, and says so by `org_auto_created`.',
  ),
  proved(
    'C.endpoints.feed',
    API,
    '`GET /api/registry/feed`, open to all, tells what happens to organizations, agents, authorizations, publishers, properties and badges in the order it happened, and only what is public, page by page without skipping, of the types and the publisher that are asked for; `GET /api/registry/feed/stream` tells the same as server-sent events and goes on from `Last-Event-ID`. `GET /api/registry/feed/snapshot` is the present state to begin from. A cursor that events have been forgotten after, or that lies in the future, is a 410 that says so.',
  ),
  proved(
    'C.endpoints.buyer-webhooks',
    API,
    "Under `/api/buyer/webhooks` an organization (an API key's, or one of a person's), with the scopes `webhooks:read` and `webhooks:write`, lists its own deliveries, sees one with its attempts, has one sent again (60 an hour), sees how its receivers do, and has a signed test event sent to a URL or to where a registration leads, answered phase by phase. It sees the bytes of a delivery with their digest and commands to verify them, where the news of its tasks goes, and ends that with what is pending; it counts what became of its deliveries, by hour or by day; it sees when its API keys were last used, and the agent's keys. A range of up to 1,000 is counted first and then sent again, each event once, whoever works on it or is killed, as the same 60 an hour have room. What is another organization's is answered as what is not there.",
  ),
  proved('C.endpoints.checkout', API, '`POST /api/checkout-session` begins the subscription of an organization.'),
  proved(
    'C.endpoints.join-requests',
    API,
    'Who finds an organization claimed asks to join it by `POST /api/organizations/{orgId}/join-requests`.',
  ),

  proved(
    'C.auth.api-keys',
    API,
    'An API key is sent as bearer token, belongs to an organization rather than to a person, and lives until it is revoked.',
  ),
  proved('C.auth.tokens', API, "A user's JWT is short-lived and comes from the OAuth 2.1 code flow with PKCE."),
  proved(
    'C.auth.metadata',
    API,
    '`/.well-known/oauth-authorization-server` and `/.well-known/oauth-protected-resource/api` lead a client to a token.',
  ),
  proved('C.auth.required', API, 'Creating an organization needs a credential; what is public needs none.'),

  proved('C.errors.check', API, 'A property check with an invalid body answers 400 with `error`.'),
  proved('C.errors.scope', API, 'An operator look-up with an unknown `scope` answers 400.'),
  proved(
    'C.errors.claimed',
    API,
    'Creating an organization that is claimed answers 409 with the id of the one there is.',
  ),

  proved('C.limits.check-domains', API, 'A property check takes 10,000 domains and no more.'),
  proved('C.limits.report', API, 'A property report is kept for 7 days.'),
  proved('C.limits.resolve-domains', API, 'Bulk resolve takes 100 domains and no more.'),
  proved('C.limits.resolve-rate', API, 'Bulk resolve answers 20 requests a minute per address.'),
  proved(
    'C.limits.organizations-rate',
    API,
    'Creating organizations allows 15 failed attempts an hour per user; successes do not count.',
  ),
  proved('C.limits.organization-name', API, "An organization's name has 1 to 200 characters."),
  proved('C.limits.personal', API, 'A user has one personal workspace and no second.'),

  proved('C.versioning.api', API, "The description of the registry's API is OpenAPI 3.1.0, of version 1.0.0."),
  proved(
    'C.versioning.badge',
    API,
    'A badge is pinned to a release MAJOR.MINOR in its path; the routes without one are legacy.',
  ),
];
