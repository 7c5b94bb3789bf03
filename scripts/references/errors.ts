import { WIRE_ERRORS } from '../../src/a2a/failure.ts';
import type { WireError } from '../../src/a2a/failure.ts';
import { publicError } from '../../src/dialects/adcp/errors.ts';
import { RELEASES } from '../../src/dialects/adcp/release.ts';
import { ERROR_RECOVERY } from '../../src/platform/errors.ts';
import type { ErrorCode, Recovery } from '../../src/platform/errors.ts';
import { HTTP_STATUS } from '../../src/platform/http-status.ts';
import { table } from './table.ts';

/** What each code means, and what a caller does about it. */
const MEANINGS: Readonly<Record<ErrorCode, readonly [means: string, todo: string]>> = {
  INVALID_REQUEST: ['something in it cannot be, such as a date that is over', 'send it as `message` says'],
  VALIDATION_ERROR: [
    'it does not fit its schema',
    'mend what `issues` names; `/schemas/{skill}/input.json` has the schema',
  ],
  VERSION_UNSUPPORTED: ['a release of the public protocol that is not spoken here', 'send one that `message` names'],
  UNAUTHORIZED: [
    'no credential, or one that is not good any more',
    'send one that is; an access token is renewed by its refresh token',
  ],
  FORBIDDEN: [
    'known, and not allowed: a scope or role is missing, or the seller has suspended the organization',
    'use a key with the scope that `message` names, or ask the seller',
  ],
  NOT_FOUND: ['there is nothing by this id, or it is not yours', 'look at the id'],
  TASK_NOT_FOUND: ['no task of yours has this id', 'look at the id'],
  PRODUCT_NOT_FOUND: ['no product has this id now', 'ask `get_products` again'],
  PRICING_OPTION_NOT_FOUND: ['the product has no such pricing option', 'take one of its `pricing_options`'],
  FORMAT_NOT_FOUND: ['no creative format has this id', 'ask `list_creative_formats`'],
  MEDIA_BUY_NOT_FOUND: ['no media buy of yours has this id', 'look at the id; `get_media_buys` has yours'],
  PACKAGE_NOT_FOUND: ['the media buy has no such package', 'take a `package_id` of `get_media_buys`'],
  CREATIVE_NOT_FOUND: ['no creative of yours has this id', 'send it by `sync_creatives` first'],
  PROPOSAL_NOT_FOUND: ['the seller makes no proposals', 'send `packages`'],
  CONFLICT: [
    'what it was meant for has changed or is being changed, or another media buy of yours has its `buyer_ref`',
    'read it anew; `details.media_buy_id` names the other, where there is one',
  ],
  IDEMPOTENCY_CONFLICT: ['the key stands for another request', 'send a new key for a new request'],
  IDEMPOTENCY_EXPIRED: [
    'the key stood for a request that ended more than 24 hours ago',
    'see what was done; a new request takes a new key',
  ],
  IDEMPOTENCY_IN_FLIGHT: [
    'the first request under this key is not answered yet',
    'wait, and send the same again under the same key',
  ],
  INVALID_STATE: [
    'it cannot be done as things stand, such as a resume of what the seller holds back',
    'look at the state; `valid_actions` has what may be done',
  ],
  CURSOR_EXPIRED: [
    'what comes after this place in the feed is not kept any more',
    'begin with the snapshot that the error names',
  ],
  ACCOUNT_NOT_FOUND: ['no account of yours is meant by this', 'sync the account first, or look at its id'],
  ACCOUNT_SETUP_REQUIRED: ['the seller has yet to approve the account', 'wait, or ask the seller'],
  ACCOUNT_PAYMENT_REQUIRED: ['the seller waits for a payment', 'pay, or ask the seller'],
  ACCOUNT_SUSPENDED: ['the seller has suspended the account', 'ask the seller'],
  TERMS_REJECTED: ['terms are asked for that the product does not have', 'take those that the error names'],
  CONFLICTING_SELECTORS: ['two ways to say the same say different things', 'send one of them'],
  NOT_CANCELLABLE: [
    'it is over, or past its point of no return',
    'let it be; a media buy is canceled by `update_media_buy`',
  ],
  BUDGET_TOO_LOW: ['less than the product takes, or than was spent already', 'send at least what the error names'],
  BUDGET_EXCEEDED: [
    'more than the seller lets your open media buys come to together',
    'ask for less, or have the seller raise the credit',
  ],
  UNSUPPORTED_GRANULARITY: ['figures are not to be had by this unit of time', 'take one that the error names'],
  UNSUPPORTED_FEATURE: ['the field is understood, and not done here', 'leave it out, or send what `suggestion` says'],
  CREATIVE_IN_USE: ['it serves in an active media buy, and is not archived', 'take it off there first'],
  APPROVAL_REJECTED: [
    'a person at the seller has said no; `message` has their reason',
    'ask for something else, or talk to them',
  ],
  AD_SERVER_REJECTED: [
    'the ad server does not take it, such as for want of inventory',
    'ask for less or other, as `message` says',
  ],
  UNSUPPORTED_TASK: ['there is no such skill', 'take one of the card'],
  ADDRESS_REFUSED: ['the URL leads to where nothing is sent, such as a private address', 'give a public one by https'],
  PAYLOAD_TOO_LARGE: ['more than is read (`docs/limits.md`)', 'send less at once'],
  UNSUPPORTED_MEDIA_TYPE: ['it is not in JSON', 'send `application/json`'],
  RATE_LIMITED: [
    'a budget is used up (`docs/budgets.md`); `details.budget` says which, and when there is some again',
    'wait for `retry_after` seconds',
  ],
  TIMEOUT: ['another system has not answered in time', 'send the same again under the same key'],
  SERVICE_UNAVAILABLE: [
    'the store or another part is away, or this process is going',
    'send the same again under the same key, after `Retry-After`',
  ],
  INTERNAL_ERROR: [
    'a fault of the agent, of which nothing is told',
    'send the same again under the same key; tell the seller `X-Request-Id` if it stays',
  ],
};

const REACTIONS: Readonly<Record<Recovery, string>> = {
  correctable: 'send it otherwise',
  transient: 'the same again later',
  terminal: 'not by sending it again',
};

/** `docs/errors.md`: every error code, with what it means and what to do about it. */
export function errorsPaper(): string {
  const codes = Object.keys(ERROR_RECOVERY) as ErrorCode[];
  const rows = codes.sort().map((code) => {
    const [means, todo] = MEANINGS[code];
    return [
      `\`${code}\``,
      ERROR_RECOVERY[code],
      String(statusOf(WIRE_ERRORS[code], code)),
      means,
      todo,
      publicNames(code),
    ];
  });
  const reactions = Object.entries(REACTIONS).map(([name, does]) => `\`${name}\`: ${does}`);
  return `# Refusals, and what to do about them

For those who write the client. A refusal names every problem at once and stores nothing. It is \`{error: {code, message, field}}\` with \`recovery\` and, where it helps,
\`suggestion\`, \`retry_after\` in seconds, \`issues\` (\`pointer\` and \`message\` of each problem) and \`details\`: over A2A in the JSON-RPC error's \`data\`, or in the data part of a
task that failed. MCP and the public protocol tell it in \`errors\` and \`adcp_error\` (\`docs/mcp.md\`, \`docs/adcp.md\`); the registry and \`/api/buyer\` have a body of their own,
\`{"error": …}\` (\`docs/buyer-webhooks.md\`). Codes are a closed list; messages are for people, and may change.

\`recovery\` says how to react: ${reactions.join('; ')}. What changes something takes an \`idempotency_key\`: the same request under the same key is one request,
however often it arrives, so that what nobody knows the end of (no answer, a timeout, 5xx) is safe to send again. A request that was refused leaves its key free. What failed with
\`details.effect: "unknown"\` keeps it: see first what became of it. Wait longer each time, with a part of chance, and never less than \`retry_after\`.

${table(['code', 'recovery', 'HTTP+JSON', 'means', 'what to do', 'in the public protocol'], rows)}
JSON-RPC answers with HTTP status 200, but for 401, 403, 413, 429 and from 500 on. Where the public protocol's releases differ, the oldest name comes first, with the release from which on the next one holds; its reaction may be another (\`docs/adcp.md\`). Of no credential at all it
says \`AUTH_MISSING\` from 3.1 on. Written by \`npx tsx scripts/write-references.ts\` from \`src/platform/errors.ts\`.
`;
}

function statusOf({ status }: WireError, code: ErrorCode): number {
  return status ?? HTTP_STATUS[code];
}

/** What the releases of the public protocol call a code. */
function publicNames(code: ErrorCode): string {
  const named = RELEASES.map((release) => {
    const told = publicError({ code, message: 'm', recovery: ERROR_RECOVERY[code] }, release);
    return [release, String(told['code'])] as const;
  });
  return named
    .filter(([, name], i) => name !== named[i - 1]?.[1])
    .map(([release, name], i) => (i === 0 ? `\`${name}\`` : `${release}: \`${name}\``))
    .join(', ');
}
