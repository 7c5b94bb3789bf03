import { Metadata, status } from '@grpc/grpc-js';
import {
  BAD_REQUEST_TYPE,
  ERROR_INFO_TYPE,
  errorMetadata,
  errorReason,
  failureOf,
  MAX_MESSAGE_BYTES,
  violationsOf,
} from './failure.ts';
import type { A2aReason, Failure, FieldViolation } from './failure.ts';

/** How a call over gRPC ends that went wrong. */
export interface GrpcStatus {
  code: status;
  details: string;
  metadata: Metadata;
}

/** Where gRPC carries a `google.rpc.Status`. */
const DETAILS = 'grpc-status-details-bin';
/**
 * Of the violations and of the facts of an error, in bytes. Some clients take no more than 8 KiB of trailers; base64 adds a
 * third, and the message stands there twice.
 */
const MOST_BYTES = { violations: 3000, facts: 768 };

/**
 * Anything thrown, as a call over gRPC tells it: status and message, and in the trailers `ErrorInfo` and each problem of the
 * request as `google.rpc.BadRequest` (rules B12, B12.details).
 */
export function callStatus(error: unknown): GrpcStatus {
  const failure = failureOf(error);
  const [code, details] = [grpcStatus(failure), statusMessage(failure.message)];
  const metadata = new Metadata();
  metadata.set(DETAILS, rpcStatus(failure, code, details));
  return { code, details, metadata };
}

/** The gRPC status of an error (A2A 1.0 section 5.4). */
export function grpcStatus({ reason, status: httpStatus }: Failure): status {
  return REASON_STATUSES[reason] ?? GRPC_STATUSES[httpStatus] ?? status.INTERNAL;
}

/** Where the reason says more than the HTTP status. */
const REASON_STATUSES: Partial<Record<A2aReason, status>> = {
  TASK_NOT_CANCELABLE: status.FAILED_PRECONDITION,
  PUSH_NOTIFICATION_NOT_SUPPORTED: status.UNIMPLEMENTED,
  UNSUPPORTED_OPERATION: status.UNIMPLEMENTED,
  VERSION_NOT_SUPPORTED: status.UNIMPLEMENTED,
  METHOD_NOT_FOUND: status.UNIMPLEMENTED,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: status.FAILED_PRECONDITION,
  EXTENSION_SUPPORT_REQUIRED: status.FAILED_PRECONDITION,
};

const GRPC_STATUSES: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  409: status.FAILED_PRECONDITION,
  410: status.OUT_OF_RANGE,
  413: status.INVALID_ARGUMENT,
  415: status.INVALID_ARGUMENT,
  422: status.INVALID_ARGUMENT,
  429: status.RESOURCE_EXHAUSTED,
  500: status.INTERNAL,
  503: status.UNAVAILABLE,
  504: status.DEADLINE_EXCEEDED,
};

/**
 * A message as it may stand in a status: a kibibyte at most when it is percent-encoded, as the wire has it. What is longer is
 * cut: some clients give a whole connection up for a header that they find too long.
 */
export function statusMessage(message: string): string {
  // Half a surrogate pair cannot be encoded.
  const whole = Buffer.from(message).toString();
  if (encodeURI(whole).length <= MAX_MESSAGE_BYTES) return whole;
  const most = MAX_MESSAGE_BYTES - encodeURI(ELLIPSIS).length;
  let [kept, length] = ['', 0];
  for (const character of whole) {
    length += encodeURI(character).length;
    if (length > most) break;
    kept += character;
  }
  return kept + ELLIPSIS;
}

const ELLIPSIS = '…';

/** Numbers of the fields in `google.rpc.Status`, `ErrorInfo` and `BadRequest`, in `google.protobuf.Any`, and in a map's entry. */
const [STATUS_CODE, STATUS_MESSAGE, STATUS_DETAILS] = [1, 2, 3];
const [INFO_REASON, INFO_DOMAIN, INFO_METADATA] = [1, 2, 3];
const [ENTRY_KEY, ENTRY_VALUE] = [1, 2];
const [ANY_TYPE_URL, ANY_VALUE] = [1, 2];
const VIOLATIONS = 1;
const [VIOLATION_FIELD, VIOLATION_DESCRIPTION] = [1, 2];

/** A `Status`. Ours in the place of the SDK's, which has a reason of A2A for everything, and no problems. */
function rpcStatus(failure: Failure, code: number, message: string): Buffer {
  const violations = violationsOf(failure.body);
  const VARINT = 0;
  return Buffer.concat([
    Buffer.of((STATUS_CODE << 3) | VARINT, ...varint(code)),
    text(STATUS_MESSAGE, message),
    field(STATUS_DETAILS, any(ERROR_INFO_TYPE, errorInfo(failure))),
    ...(violations.length > 0 ? [field(STATUS_DETAILS, any(BAD_REQUEST_TYPE, badRequest(violations)))] : []),
  ]);
}

function errorInfo(failure: Failure): Buffer {
  const { reason, domain } = errorReason(failure);
  const { code = '', recovery = '', retry_after, ...facts } = errorMetadata(failure);
  const first = { code, recovery, ...(retry_after !== undefined && { retry_after }) };
  const entries = Object.entries({ ...first, ...facts }).map(([key, value]) =>
    field(INFO_METADATA, Buffer.concat([text(ENTRY_KEY, key), text(ENTRY_VALUE, value)])),
  );
  return Buffer.concat([text(INFO_REASON, reason), text(INFO_DOMAIN, domain), ...fitting(entries, MOST_BYTES.facts)]);
}

function badRequest(violations: readonly FieldViolation[]): Buffer {
  const entries = violations.map(({ field: place, description }) =>
    field(VIOLATIONS, Buffer.concat([text(VIOLATION_FIELD, place), text(VIOLATION_DESCRIPTION, description)])),
  );
  return Buffer.concat(fitting(entries, MOST_BYTES.violations));
}

/** As many of the first as fit. */
function fitting(parts: readonly Buffer[], mostBytes: number): Buffer[] {
  let bytes = 0;
  return parts.filter((part) => (bytes += part.length) <= mostBytes);
}

function any(type: string, value: Buffer): Buffer {
  return Buffer.concat([text(ANY_TYPE_URL, type), field(ANY_VALUE, value)]);
}

function text(number: number, value: string): Buffer {
  return field(number, Buffer.from(value));
}

/** A field of bytes: its tag, how many there are, and they. */
function field(number: number, value: Buffer): Buffer {
  const LENGTH_DELIMITED = 2;
  return Buffer.concat([Buffer.of((number << 3) | LENGTH_DELIMITED), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
