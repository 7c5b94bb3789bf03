import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const RESOURCES = 'contract: Resources and their fields';
const STATES = 'contract: States and transitions';
const ENDPOINTS = 'contract: Endpoints';
const SIGNATURES = 'contract: Authentication, Webhook signatures';
const LEGACY = 'contract: Authentication, Legacy';
const EVENTS = 'contract: Events';
const ERRORS = 'contract: Errors';
const LIMITS = 'contract: Limits';

/** The contract's own rules for tasks and webhooks. */
export const CONTRACT: readonly Requirement[] = [
  proved(
    'C.resources.media-buy',
    RESOURCES,
    'create_media_buy answers media_buy_id, status, and packages with their ids',
  ),
  proved(
    'C.resources.product',
    RESOURCES,
    'a product has its id, name, description, pricing options, formats and targeting',
  ),
  proved(
    'C.resources.push-config',
    RESOURCES,
    'a push config has an opaque url, an operation_id, and optional legacy authentication',
  ),
  proved(
    'C.resources.envelope',
    RESOURCES,
    'a webhook’s result stands in `result`; context is echoed when there was one',
  ),

  proved('C.states.tasks', STATES, 'completed and failed carry the full task response; working may carry progress'),
  proved(
    'C.states.rules',
    STATES,
    'an initial terminal answer notifies nobody; only submitted and working ones may later',
  ),
  proved('C.states.media-buys', STATES, 'a new buy that waits for approval is pending'),

  proved('C.tasks.get_products', ENDPOINTS, 'get_products finds products for a brief, a brand and filters'),
  proved(
    'C.tasks.create_media_buy',
    ENDPOINTS,
    'create_media_buy needs buyer_ref, brand_manifest, packages, start_time and end_time',
  ),
  proved('C.tasks.auction', ENDPOINTS, 'a package of auction pricing includes bid_price'),
  proved('C.tasks.update_media_buy', ENDPOINTS, 'update_media_buy changes a buy by its id'),
  proved('C.tasks.sync_creatives', ENDPOINTS, 'sync_creatives previews with dry_run and archives with delete_missing'),
  proved('C.tasks.lists', ENDPOINTS, 'properties, formats and creatives can be listed'),
  proved('C.tasks.delivery', ENDPOINTS, 'get_media_buy_delivery answers totals, packages and a timeseries'),
  proved('C.delivery', ENDPOINTS, 'a webhook is a POST of application/json to the registered url'),

  proved(
    'C.webhook.signatures.1',
    SIGNATURES,
    'the signing key is published with purpose request-signing in the seller’s brand.json agents',
  ),
  proved('C.webhook.signatures.2', SIGNATURES, 'Signature-Input, Signature, Content-Digest and Content-Type are sent'),
  proved(
    'C.webhook.signatures.3',
    SIGNATURES,
    'exactly the five components are covered, with the six parameters and the tag',
  ),
  proved('C.webhook.signatures.4', SIGNATURES, 'signature and digest are unpadded base64url; the digest is covered'),
  proved('C.webhook.signatures.5', SIGNATURES, 'signature and digest are over the exact raw bytes'),
  proved(
    'C.webhook.signatures.6',
    SIGNATURES,
    'receivers find keys through jwks_uri, and refuse with 401 and Signature error="<code>"',
  ),
  proved(
    'C.webhook.signatures.7',
    SIGNATURES,
    'a signature lives 5 minutes at most, and a nonce is taken once per key',
  ),

  proved('C.webhook.hmac', LEGACY, 'X-PROTO-Signature is the HMAC of `<unix_seconds>.<raw_body>`, within 300 s'),
  proved('C.webhook.bearer', LEGACY, 'legacy Bearer compares the credential; refused for mutating callbacks'),

  proved('C.events.1', EVENTS, 'the channel of registration decides the envelope, and both channels fire'),
  proved('C.events.2', EVENTS, 'operation_id and context are echoed verbatim in every webhook'),
  proved('C.events.3', EVENTS, 'a registration without operation_id is refused with INVALID_REQUEST'),
  proved(
    'C.events.4',
    EVENTS,
    'delivery is at least once; receivers dedupe by sender and key, and the first copy wins',
  ),
  proved('C.events.5', EVENTS, 'the two envelopes can be told apart, and the result extracted from each'),
  proved('C.events.6', EVENTS, 'impairments coalesce within their windows; reports never'),
  proved('C.events.7', EVENTS, 'what was missed is read from current state, and activity tells what was sent'),
  proved('C.events.8', EVENTS, 'a changed registration applies from the next fire'),
  proved('C.events.9', EVENTS, 'a 401 is retried and recorded, and disables nothing'),
  proved('C.events.10', EVENTS, 'a task can be polled until it is terminal, with or without webhooks'),

  proved('C.errors.body', ERRORS, 'a task’s error is {error: {code, message, field}}'),
  proved('C.errors.parameters', ERRORS, 'invalid parameters answer as 400'),
  proved('C.errors.token', ERRORS, 'a missing or invalid token answers 401'),
  proved('C.errors.unknown', ERRORS, 'an unknown product answers as 404'),
  proved('C.errors.schema', ERRORS, 'a schema failure answers as 422 VALIDATION_ERROR with the field'),
  proved('C.errors.conflict', ERRORS, 'a reused key with a changed payload answers IDEMPOTENCY_CONFLICT'),
  proved('C.errors.content-type', ERRORS, 'a wrong content type is refused before the signature is looked at'),
  proved('C.errors.too-large', ERRORS, 'a webhook body over 1 MB answers 413'),

  proved(
    'C.limits.signature',
    LIMITS,
    'a signature is valid for at most 5 minutes, and nonces are remembered for about 360 s',
  ),
  proved('C.limits.dedup', LIMITS, 'a receiver remembers events for at least 24 hours'),
  proved('C.limits.hmac', LIMITS, 'a legacy timestamp may differ by 300 s'),
];
