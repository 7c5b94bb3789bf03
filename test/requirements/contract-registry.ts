import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const RESOURCES = 'contract: Resources and their fields';
const STATES = 'contract: States and transitions, Organization adoption';
const ENDPOINTS = 'contract: Endpoints';
const AUTH = 'contract: Authentication, Registry';
const ERRORS = 'contract: Errors';
const LIMITS = 'contract: Limits';
const VERSIONING = 'contract: Versioning';

/** The contract's own rules for the registry. */
export const CONTRACT_REGISTRY: readonly Requirement[] = [
  proved('C.resources.check-request', RESOURCES, 'a property check takes a list of at most 10000 domains'),
  proved('C.resources.check-report', RESOURCES, 'a report has a summary, four buckets with their fields, and an id'),
  proved(
    'C.resources.operator',
    RESOURCES,
    'the member card shows tier and founding membership only of a public profile, each apart from the other',
  ),
  proved('C.resources.operator-agents', RESOURCES, 'an agent has url, name, and who authorizes it for what'),
  proved('C.resources.organization-request', RESOURCES, 'a request sets neither tier nor corporate domain'),
  proved('C.resources.organization-opt-in', RESOURCES, 'the marketing opt-in is recorded once per user'),
  proved('C.resources.resolve', RESOURCES, 'bulk resolve answers an object with the field results'),
  proved(
    'C.resources.badge',
    RESOURCES,
    'an embed answer names agent, role, verdict, release and URLs, with snippets whose alt text has the release',
  ),
  proved(
    'C.resources.discovery',
    RESOURCES,
    'a discovery names the agent, its protocols, type, tools, their count, stats and description',
  ),
  proved('C.resources.error', RESOURCES, 'a refusal has the string error; those of discovery add message'),

  proved('C.states.adoption.prospect', STATES, 'a prospect of the caller’s domain is adopted, never doubled'),
  proved('C.states.adoption.active', STATES, 'a claimed organization stays as it is, and 409 names it'),
  proved(
    'C.states.adoption.none',
    STATES,
    'without one it is created: the caller owns it, the domain is verified by e-mail, the consent logged',
  ),

  proved('C.endpoints.check', ENDPOINTS, 'POST /api/properties/check normalizes, dedupes, and finds infrastructure'),
  proved('C.endpoints.operator', ENDPOINTS, 'who asks decides what an operator look-up shows; scope only narrows'),
  proved('C.endpoints.organizations', ENDPOINTS, 'POST /api/organizations answers 2xx to who is an owner then'),
  proved('C.endpoints.badge', ENDPOINTS, 'the embed answers HTML and Markdown that point at the pinned SVG'),
  proved('C.endpoints.discover', ENDPOINTS, 'GET /api/public/discover-agent probes an agent by its URL'),
  proved('C.endpoints.my-agents', ENDPOINTS, 'a first agent makes organization and profile, and says so'),
  proved('C.endpoints.checkout', ENDPOINTS, 'POST /api/checkout-session begins a subscription'),
  proved('C.endpoints.join-requests', ENDPOINTS, 'a claimed organization is joined by request'),

  proved('C.auth.api-keys', AUTH, 'an organization’s API key is long-lived and belongs to the organization'),
  proved('C.auth.tokens', AUTH, 'a user’s JWT comes from the code flow with PKCE'),
  proved('C.auth.metadata', AUTH, 'both metadata documents are where the contract says, and lead to a token'),
  proved('C.auth.required', AUTH, 'creating an organization needs a credential'),

  proved('C.errors.check', ERRORS, 'an invalid body of a property check answers 400 with error'),
  proved('C.errors.scope', ERRORS, 'an unknown scope answers 400'),
  proved('C.errors.claimed', ERRORS, 'a claimed organization answers 409 with its id'),

  proved('C.limits.check-domains', LIMITS, 'a property check takes 10000 domains and no more'),
  proved('C.limits.report', LIMITS, 'a report is kept for 7 days'),
  proved('C.limits.resolve-domains', LIMITS, 'bulk resolve takes 100 domains and no more'),
  proved('C.limits.resolve-rate', LIMITS, 'bulk resolve answers 20 requests a minute per address'),
  proved(
    'C.limits.organizations-rate',
    LIMITS,
    'creating organizations allows 15 failed attempts an hour per user; successes do not count',
  ),
  proved('C.limits.organization-name', LIMITS, 'an organization’s name has 1 to 200 characters'),
  proved('C.limits.personal', LIMITS, 'a user has one personal workspace'),

  proved('C.versioning.api', VERSIONING, 'the API’s description is OpenAPI 3.1.0, version 1.0.0'),
  proved('C.versioning.badge', VERSIONING, 'a badge is pinned to a release; the route without one is legacy'),
];
