import { credentialRefused } from '../dialects/adcp/credential-refusal.ts';
import { AppError } from '../platform/errors.ts';
import type { ErrorBody, ErrorCode, ErrorDetails } from '../platform/errors.ts';
import { fieldPath, pathOfPointer } from '../platform/field-path.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { currentRequest } from '../platform/request-context.ts';
import { HTTP_STATUS } from '../platform/http-status.ts';
import { shownError } from '../platform/store/shown-error.ts';

/** The errors that A2A itself knows, by their reason in `google.rpc.ErrorInfo`, with their JSON-RPC codes. */
export const A2A_REASONS = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  INVALID_AGENT_RESPONSE: -32006,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007,
  EXTENSION_SUPPORT_REQUIRED: -32008,
  VERSION_NOT_SUPPORTED: -32009,
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
} as const;
export type A2aReason = keyof typeof A2A_REASONS;

/** An error of the protocol itself, such as a wrong envelope, which A2A has a reason of its own for. */
export class ProtocolError extends AppError {
  readonly reason: A2aReason;
  constructor(reason: A2aReason, message: string, details: ErrorDetails = {}) {
    super(PROTOCOL_CODES[reason], message, details);
    this.name = 'ProtocolError';
    this.reason = reason;
  }
}

/** Our own code for each reason. */
const PROTOCOL_CODES = {
  TASK_NOT_FOUND: 'TASK_NOT_FOUND',
  TASK_NOT_CANCELABLE: 'NOT_CANCELLABLE',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'INVALID_REQUEST',
  UNSUPPORTED_OPERATION: 'INVALID_REQUEST',
  CONTENT_TYPE_NOT_SUPPORTED: 'UNSUPPORTED_MEDIA_TYPE',
  INVALID_AGENT_RESPONSE: 'INTERNAL_ERROR',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'INVALID_REQUEST',
  EXTENSION_SUPPORT_REQUIRED: 'INVALID_REQUEST',
  VERSION_NOT_SUPPORTED: 'INVALID_REQUEST',
  PARSE_ERROR: 'INVALID_REQUEST',
  INVALID_REQUEST: 'INVALID_REQUEST',
  METHOD_NOT_FOUND: 'NOT_FOUND',
  INVALID_PARAMS: 'INVALID_REQUEST',
  INTERNAL_ERROR: 'INTERNAL_ERROR',
} as const satisfies Record<A2aReason, ErrorCode>;

/** How one error looks on the wires of A2A. */
export interface WireError {
  reason: A2aReason;
  /** Status on plain HTTP, where A2A's (1.0.1, section 5.4) differs from that of {@link HTTP_STATUS}. */
  status?: number;
  /** Status of a JSON-RPC answer, where it is not 200: what proxies and clients must see without reading the body. */
  rpcStatus?: number;
}

/** Every error code on the wires of A2A (rule B12). */
export const WIRE_ERRORS = {
  INVALID_REQUEST: { reason: 'INVALID_PARAMS' },
  VALIDATION_ERROR: { reason: 'INVALID_PARAMS' },
  VERSION_UNSUPPORTED: { reason: 'INVALID_PARAMS' },
  UNAUTHORIZED: { reason: 'INVALID_REQUEST', rpcStatus: 401 },
  FORBIDDEN: { reason: 'INVALID_REQUEST', rpcStatus: 403 },
  NOT_FOUND: { reason: 'INVALID_PARAMS' },
  TASK_NOT_FOUND: { reason: 'TASK_NOT_FOUND' },
  PRODUCT_NOT_FOUND: { reason: 'INVALID_PARAMS' },
  PRICING_OPTION_NOT_FOUND: { reason: 'INVALID_PARAMS' },
  FORMAT_NOT_FOUND: { reason: 'INVALID_PARAMS' },
  MEDIA_BUY_NOT_FOUND: { reason: 'INVALID_PARAMS' },
  PACKAGE_NOT_FOUND: { reason: 'INVALID_PARAMS' },
  CREATIVE_NOT_FOUND: { reason: 'INVALID_PARAMS' },
  PROPOSAL_NOT_FOUND: { reason: 'INVALID_PARAMS' },
  CONFLICT: { reason: 'INVALID_PARAMS' },
  IDEMPOTENCY_CONFLICT: { reason: 'INVALID_PARAMS' },
  IDEMPOTENCY_EXPIRED: { reason: 'INVALID_PARAMS' },
  IDEMPOTENCY_IN_FLIGHT: { reason: 'INVALID_PARAMS' },
  INVALID_STATE: { reason: 'UNSUPPORTED_OPERATION', status: 400 },
  CURSOR_EXPIRED: { reason: 'INVALID_PARAMS' },
  ACCOUNT_NOT_FOUND: { reason: 'INVALID_PARAMS' },
  ACCOUNT_SETUP_REQUIRED: { reason: 'INVALID_PARAMS' },
  ACCOUNT_PAYMENT_REQUIRED: { reason: 'INVALID_PARAMS' },
  ACCOUNT_SUSPENDED: { reason: 'INVALID_PARAMS' },
  TERMS_REJECTED: { reason: 'INVALID_PARAMS' },
  CONFLICTING_SELECTORS: { reason: 'INVALID_PARAMS' },
  NOT_CANCELLABLE: { reason: 'TASK_NOT_CANCELABLE', status: 400 },
  BUDGET_TOO_LOW: { reason: 'INVALID_PARAMS' },
  BUDGET_EXCEEDED: { reason: 'INVALID_PARAMS' },
  UNSUPPORTED_GRANULARITY: { reason: 'INVALID_PARAMS' },
  UNSUPPORTED_FEATURE: { reason: 'INVALID_PARAMS' },
  CREATIVE_IN_USE: { reason: 'INVALID_PARAMS' },
  APPROVAL_REJECTED: { reason: 'INVALID_PARAMS' },
  AD_SERVER_REJECTED: { reason: 'INVALID_PARAMS' },
  UNSUPPORTED_TASK: { reason: 'INVALID_PARAMS' },
  ADDRESS_REFUSED: { reason: 'INVALID_PARAMS' },
  PAYLOAD_TOO_LARGE: { reason: 'INVALID_REQUEST', rpcStatus: 413 },
  UNSUPPORTED_MEDIA_TYPE: { reason: 'CONTENT_TYPE_NOT_SUPPORTED', status: 400 },
  RATE_LIMITED: { reason: 'INTERNAL_ERROR', rpcStatus: 429 },
  TIMEOUT: { reason: 'INTERNAL_ERROR', rpcStatus: 504 },
  SERVICE_UNAVAILABLE: { reason: 'INTERNAL_ERROR', rpcStatus: 503 },
  INTERNAL_ERROR: { reason: 'INTERNAL_ERROR', rpcStatus: 500 },
} as const satisfies Record<ErrorCode, WireError>;

/** What A2A calls its own errors, which clients and their logs look for. */
const PROTOCOL_WORDS: Partial<Record<A2aReason, string>> = {
  TASK_NOT_FOUND: 'Task not found',
  TASK_NOT_CANCELABLE: 'Task cannot be canceled',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'Push Notification is not supported',
  UNSUPPORTED_OPERATION: 'This operation is not supported',
  CONTENT_TYPE_NOT_SUPPORTED: 'Incompatible content types',
  INVALID_AGENT_RESPONSE: 'Invalid agent response type',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'Authenticated Extended Card not configured',
  EXTENSION_SUPPORT_REQUIRED: 'Extension support required',
  VERSION_NOT_SUPPORTED: 'Version not supported',
  METHOD_NOT_FOUND: 'Method not found',
};

/** Anything thrown, as the wires show it. */
export interface Failure extends WireError {
  /** Status on plain HTTP (rule B12). */
  status: number;
  /** In the protocol's own words, where it has any, and then in ours. */
  message: string;
  body: ErrorBody;
  /** A refusal of a credential in the public protocol's words, too; absent for all else. */
  adcp_error?: JsonObject;
}

/** What the caller learns of anything thrown: known errors as they are, a store that is away, else a bare fault. */
export function failureOf(error: unknown): Failure {
  const known = shownError(error);
  const body = known.toBody();
  const adcp_error = credentialRefused(known);
  const wire: WireError = WIRE_ERRORS[body.code];
  const reason = error instanceof ProtocolError ? error.reason : wire.reason;
  const words = PROTOCOL_WORDS[reason];
  const message = cutToFit(words === undefined ? body.message : `${words}: ${body.message}`);
  return { status: HTTP_STATUS[body.code], ...wire, reason, message, body, ...(adcp_error && { adcp_error }) };
}

/** Of the message of an error, in bytes of UTF-8: over gRPC it travels in a header (rule B12.details). */
export const MAX_MESSAGE_BYTES = 1024;

function cutToFit(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MAX_MESSAGE_BYTES) return message;
  // What is left of a character that is cut through is one that stands for nothing.
  const kept = bytes.subarray(0, MAX_MESSAGE_BYTES - Buffer.byteLength('…')).toString();
  return `${kept.replace(/\uFFFD$/, '')}…`;
}

/** What a caller may know of an error, in strings, as `google.rpc.ErrorInfo` wants it. */
export function errorMetadata({ body, adcp_error = {} }: Failure): Record<string, string> {
  const { code, field, suggestion, retry_after, recovery, details = {} } = body;
  const request = currentRequest();
  const facts = Object.entries(details)
    .flatMap(([name, fact]) => partsOf(name, fact))
    .filter(([, fact]) => typeof fact === 'string' || typeof fact === 'number');
  return {
    ...Object.fromEntries(facts.map(([name, fact]) => [name, String(fact)])),
    code,
    recovery,
    ...(field !== undefined && { field }),
    ...(suggestion !== undefined && { suggestion }),
    ...(retry_after !== undefined && { retry_after: String(retry_after) }),
    ...('code' in adcp_error && { adcp_error_code: String(adcp_error['code']) }),
    ...('recovery' in adcp_error && { adcp_error_recovery: String(adcp_error['recovery']) }),
    ...(request !== undefined && { request_id: request.request_id }),
  };
}

/** A fact of several, such as a budget, as one entry each: `budget_name`, `budget_size`. */
function partsOf(name: string, fact: unknown): [string, unknown][] {
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return [[name, fact]];
  return Object.entries(fact).map(([part, value]) => [`${name}_${part}`, value]);
}

/** The whole error body, as the data of an error in 0.3, and among the details of 1.0. */
export function errorData({ body, adcp_error }: Failure): { error: ErrorBody; adcp_error?: JsonObject } {
  return { error: body, ...(adcp_error && { adcp_error }) };
}

/** The details of an error in 1.0: what any A2A client understands, then the whole error body (rule B12). */
export function errorDetails(failure: Failure): Record<string, unknown>[] {
  return [
    { '@type': ERROR_INFO_TYPE, ...errorReason(failure), metadata: errorMetadata(failure) },
    { '@type': ERROR_BODY_TYPE, ...errorData(failure) },
  ];
}

/**
 * Why, as `google.rpc.ErrorInfo` says it. A2A has no reason for a credential or scope that is missing, nor for what is right and
 * comes too often or at a bad time: one of its own would have clients look for a mistake in the request, or in the agent.
 */
export function errorReason({ reason, body: { code } }: Failure): { reason: string; domain: string } {
  return WITHOUT_A2A_REASON.has(code)
    ? { reason: code, domain: OUR_ERROR_DOMAIN }
    : { reason, domain: A2A_ERROR_DOMAIN };
}

const WITHOUT_A2A_REASON: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['UNAUTHORIZED', 'FORBIDDEN'] as const),
  ...(['RATE_LIMITED', 'TIMEOUT', 'SERVICE_UNAVAILABLE'] as const),
]);

/** One `FieldViolation` of `google.rpc.BadRequest`. */
export interface FieldViolation {
  field: string;
  description: string;
}

/** What of an error concerns places of the request; none where it names no place. */
export function violationsOf({ issues = [], field, message }: ErrorBody): FieldViolation[] {
  if (issues.length === 0) return field === undefined ? [] : [{ field, description: message }];
  return issues.map((issue) => ({ field: fieldPath(pathOfPointer(issue.pointer)), description: issue.message }));
}

export const ERROR_INFO_TYPE = 'type.googleapis.com/google.rpc.ErrorInfo';
export const BAD_REQUEST_TYPE = 'type.googleapis.com/google.rpc.BadRequest';
const A2A_ERROR_DOMAIN = 'a2a-protocol.org';
export const OUR_ERROR_DOMAIN = 'media-buy-agent';
/** A type of our own: the error body of tasks, and beside it, of a refused credential, the public protocol's words. */
const ERROR_BODY_TYPE = `${OUR_ERROR_DOMAIN}/TaskError`;
