import { CredentialRefusal } from '../../directory/credential/credential-refusal.ts';
import type { AppError, ErrorBody, ErrorCode, Issue, Recovery } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { fieldPath, jsonPointer, pathOfField, pathOfPointer } from '../../platform/field-path.ts';
import type { Release } from './release.ts';

/** What the public protocol calls an error of ours. */
interface PublicCode {
  code: string;
  /** Where the public protocol wants another reaction than we do. */
  recovery?: Recovery;
  /** Its name in 3.0, where that has none of the same. */
  before31?: string;
  /** Its name from 3.2 on, where that has one of its own. */
  from32?: string;
  /** The reaction where it says what to send instead: the same request again does not do then. */
  advised?: Recovery;
  /** What its details are called. */
  details?: Readonly<Record<string, string>>;
  /** Nothing besides code and message may be told. */
  isBare?: true;
}

/** Every code in the public protocol's words: a new one compiles only once it has a place here. */
const PUBLIC_CODES = {
  INVALID_REQUEST: { code: 'INVALID_REQUEST' },
  VALIDATION_ERROR: { code: 'VALIDATION_ERROR' },
  VERSION_UNSUPPORTED: { code: 'VERSION_UNSUPPORTED' },
  UNAUTHORIZED: { code: 'AUTH_INVALID', recovery: 'terminal', before31: 'AUTH_REQUIRED' },
  FORBIDDEN: { code: 'SCOPE_INSUFFICIENT', before31: 'PERMISSION_DENIED' },
  NOT_FOUND: { code: 'REFERENCE_NOT_FOUND' },
  TASK_NOT_FOUND: { code: 'REFERENCE_NOT_FOUND' },
  PRODUCT_NOT_FOUND: { code: 'PRODUCT_NOT_FOUND' },
  PRICING_OPTION_NOT_FOUND: { code: 'INVALID_REQUEST', from32: 'INVALID_PRICING_OPTION' },
  FORMAT_NOT_FOUND: { code: 'FORMAT_NOT_SUPPORTED', before31: 'REFERENCE_NOT_FOUND' },
  MEDIA_BUY_NOT_FOUND: { code: 'MEDIA_BUY_NOT_FOUND' },
  PACKAGE_NOT_FOUND: { code: 'PACKAGE_NOT_FOUND' },
  CREATIVE_NOT_FOUND: { code: 'CREATIVE_NOT_FOUND' },
  PROPOSAL_NOT_FOUND: { code: 'PROPOSAL_NOT_FOUND', before31: 'REFERENCE_NOT_FOUND' },
  CONFLICT: { code: 'CONFLICT', recovery: 'transient', advised: 'correctable' },
  IDEMPOTENCY_CONFLICT: { code: 'IDEMPOTENCY_CONFLICT', isBare: true },
  IDEMPOTENCY_EXPIRED: { code: 'IDEMPOTENCY_EXPIRED' },
  IDEMPOTENCY_IN_FLIGHT: { code: 'IDEMPOTENCY_IN_FLIGHT' },
  INVALID_STATE: { code: 'INVALID_STATE' },
  CURSOR_EXPIRED: { code: 'INVALID_REQUEST' },
  ACCOUNT_NOT_FOUND: { code: 'ACCOUNT_NOT_FOUND' },
  ACCOUNT_SETUP_REQUIRED: { code: 'ACCOUNT_SETUP_REQUIRED' },
  ACCOUNT_PAYMENT_REQUIRED: { code: 'ACCOUNT_PAYMENT_REQUIRED' },
  ACCOUNT_SUSPENDED: { code: 'ACCOUNT_SUSPENDED' },
  TERMS_REJECTED: { code: 'TERMS_REJECTED' },
  CONFLICTING_SELECTORS: { code: 'CONFLICTING_SELECTORS', before31: 'INVALID_REQUEST' },
  NOT_CANCELLABLE: { code: 'NOT_CANCELLABLE', recovery: 'correctable' },
  BUDGET_TOO_LOW: { code: 'BUDGET_TOO_LOW' },
  BUDGET_EXCEEDED: { code: 'BUDGET_EXCEEDED' },
  UNSUPPORTED_GRANULARITY: {
    ...{ code: 'UNSUPPORTED_GRANULARITY', before31: 'INVALID_REQUEST' },
    details: { supported: 'supported_granularities' },
  },
  UNSUPPORTED_FEATURE: { code: 'UNSUPPORTED_FEATURE' },
  CREATIVE_IN_USE: { code: 'INVALID_STATE' },
  APPROVAL_REJECTED: { code: 'POLICY_VIOLATION', recovery: 'correctable' },
  AD_SERVER_REJECTED: { code: 'PRODUCT_UNAVAILABLE' },
  UNSUPPORTED_TASK: { code: 'UNSUPPORTED_FEATURE' },
  ADDRESS_REFUSED: { code: 'INVALID_REQUEST' },
  PAYLOAD_TOO_LARGE: { code: 'INVALID_REQUEST' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'UNSUPPORTED_FEATURE' },
  RATE_LIMITED: { code: 'RATE_LIMITED' },
  TIMEOUT: { code: 'SERVICE_UNAVAILABLE' },
  SERVICE_UNAVAILABLE: { code: 'SERVICE_UNAVAILABLE' },
  INTERNAL_ERROR: { code: 'SERVICE_UNAVAILABLE' },
} as const satisfies Record<ErrorCode, PublicCode>;

/** Of `UNAUTHORIZED`, what is told where no credential was sent: to send one will do. */
const CREDENTIAL_MISSING: PublicCode = { code: 'AUTH_MISSING', before31: 'AUTH_REQUIRED' };

/** What may be told of when to try again, in seconds. */
const LONGEST_RETRY_S = 3600;

/** Our fields and their public names, on every task; a translator adds its own. */
const FIELDS: Readonly<Record<string, string>> = {
  'updates.': '',
  'filters.status': 'filters.statuses',
  brand_manifest: 'brand',
  'date_range.start': 'start_date',
  'date_range.end': 'end_date',
  limit: 'pagination.max_results',
  cursor: 'pagination.cursor',
  'start_time.datetime': 'start_time',
};

/** An error of ours as the public protocol tells it: an entry of `errors`, and `adcp_error`. Pure. */
export function publicError(
  body: ErrorBody,
  release: Release,
  fields: Readonly<Record<string, string>> = {},
): JsonObject {
  return toldAs(PUBLIC_CODES[body.code], body, release, fields);
}

/** The same of an error itself, which knows more than its body where it refuses a credential. Pure. */
export function publicErrorOf(error: AppError, release: Release): JsonObject {
  const body = error.toBody();
  const isMissing = error instanceof CredentialRefusal && error.fault === 'missing';
  return toldAs(isMissing ? CREDENTIAL_MISSING : PUBLIC_CODES[body.code], body, release);
}

function toldAs(
  known: PublicCode,
  body: ErrorBody,
  release: Release,
  fields: Readonly<Record<string, string>> = {},
): JsonObject {
  const code = codeIn(release, known);
  const { field, suggestion, retry_after, issues, details } = body;
  const recovery = (suggestion === undefined ? undefined : known.advised) ?? known.recovery ?? body.recovery;
  if (known.isBare === true) return { code, message: body.message, recovery };
  const renamed = (name: string) => publicField(name, { ...FIELDS, ...fields });
  return {
    ...{ code, message: field === undefined ? body.message : publicText(body.message, field, renamed), recovery },
    ...(field !== undefined && { field: renamed(field) }),
    ...(suggestion !== undefined && { suggestion }),
    ...(retry_after !== undefined && { retry_after: Math.min(Math.max(1, Math.ceil(retry_after)), LONGEST_RETRY_S) }),
    ...(issues !== undefined && issues.length > 0 && { issues: issues.map((issue) => publicIssue(issue, renamed)) }),
    ...(details !== undefined && { details: named(details, known.details) }),
  };
}

/** Our messages begin with the field that they are about; that is told by its public name. */
function publicText(message: string, field: string, renamed: (name: string) => string): string {
  return message.startsWith(`${field}:`) ? `${renamed(field)}${message.slice(field.length)}` : message;
}

function named(details: JsonObject, names: Readonly<Record<string, string>> = {}): JsonObject {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [names[name] ?? name, value]));
}

function codeIn(release: Release, { code, before31 = code, from32 = code }: PublicCode): string {
  switch (release) {
    case '3.0':
      return before31;
    case '3.1':
      return code;
    case '3.2':
      return from32;
  }
}

/** The answer that tells an error: in the form that each generation of clients reads. Pure. */
export function failedAnswer(error: JsonObject): JsonObject {
  return { status: 'failed', errors: [error], adcp_error: error };
}

function publicIssue({ pointer, message }: Issue, renamed: (name: string) => string): JsonObject {
  const path = renamed(fieldPath(pathOfPointer(pointer)));
  return { pointer: jsonPointer(pathOfField(path)), message, keyword: keywordOf(message) };
}

/** The word of JSON Schema for what is wrong, by how our own messages begin; what no schema could have told is `not`. */
function keywordOf(message: string): string {
  if (message.startsWith('required')) return 'required';
  if (message.startsWith('unknown key')) return 'additionalProperties';
  if (/^send an? .*, not /.test(message)) return 'type';
  return message.startsWith('send "') ? 'enum' : 'not';
}

/** The longest of our names that the field begins with is replaced; `[]` in a name is any place of a list, and the same in the other. */
function publicField(whole: string, fields: Readonly<Record<string, string>>): string {
  const places = whole.match(PLACE) ?? [];
  const field = whole.replace(PLACE, '[]');
  const begins = (name: string) =>
    field === name || (field.startsWith(name) && (name.endsWith('.') || /^[.[]/.test(field.slice(name.length))));
  const ours = Object.keys(fields)
    .filter(begins)
    .sort((a, b) => b.length - a.length)[0];
  const named = ours === undefined ? field : `${fields[ours] ?? ''}${field.slice(ours.length)}`;
  const placed = places.reduce((text, place) => text.replace('[]', place), named);
  return placed.replace(/creative_ids\[(\d+)\]/, 'creative_assignments[$1].creative_id');
}

const PLACE = /\[\d+\]/g;
