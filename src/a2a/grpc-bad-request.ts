import type { EventEmitter } from 'node:events';
import type { Metadata, UntypedServiceImplementation } from '@grpc/grpc-js';
import {
  BAD_REQUEST_TYPE,
  ERROR_INFO_TYPE,
  errorMetadata,
  errorReason,
  failureOf,
  OUR_ERROR_DOMAIN,
  violationsOf,
} from './failure.ts';
import type { Failure, FieldViolation } from './failure.ts';

/** Where gRPC carries a `google.rpc.Status`. */
const DETAILS = 'grpc-status-details-bin';
/** Of the violations, in bytes. Some clients take no more than 8 KiB of trailers, and base64 adds a third. */
const MOST_BYTES = 3000;

/** What was thrown behind the failures of calls, by the gRPC call. */
export type Failures = WeakMap<object, { failure?: unknown }>;

/**
 * An implementation of the SDK's whose errors carry the problems of the request as `google.rpc.BadRequest` too; by itself the
 * SDK tells `ErrorInfo` alone (rule B12.details), and that with a reason of A2A where it has none, as `errorReason` says.
 */
export function tellingProblems(
  implementation: UntypedServiceImplementation,
  failures: Failures,
): UntypedServiceImplementation {
  const methods = Object.entries(implementation).map(([name, method]) => {
    const handle = method as (...args: unknown[]) => unknown;
    const telling = (call: EventEmitter, callback?: (error: unknown, ...rest: unknown[]) => void) => {
      const told = (error: unknown) => withProblems(error, failures.get(call)?.failure);
      const emit = call.emit.bind(call);
      // Of a stream, the SDK emits it.
      call.emit = (event: string | symbol, ...args: unknown[]) =>
        event === 'error' ? emit(event, told(args[0])) : emit(event, ...args);
      const answer =
        callback &&
        ((error: unknown, ...rest: unknown[]) => {
          callback(told(error), ...rest);
        });
      return handle(call, answer);
    };
    return [name, telling] as const;
  });
  return Object.fromEntries(methods);
}

function withProblems(error: unknown, cause: unknown): unknown {
  const { metadata, code = 0 } = (error ?? {}) as { metadata?: Metadata; code?: number };
  const [told] = metadata?.get(DETAILS) ?? [];
  if (cause === undefined || !Buffer.isBuffer(told)) return error;
  const failure = failureOf(cause);
  const violations = violationsOf(failure.body);
  const status = errorReason(failure).domain === OUR_ERROR_DOMAIN ? statusOf(failure, code) : told;
  const problems = violations.length > 0 ? [field(STATUS_DETAILS, anyOf(violations))] : [];
  metadata?.set(DETAILS, Buffer.concat([status, ...problems]));
  return error;
}

/** Numbers of the fields in `google.rpc.Status`, `ErrorInfo` and `BadRequest`, in `google.protobuf.Any`, and in a map's entry. */
const [STATUS_CODE, STATUS_MESSAGE, STATUS_DETAILS] = [1, 2, 3];
const [INFO_REASON, INFO_DOMAIN, INFO_METADATA] = [1, 2, 3];
const [ENTRY_KEY, ENTRY_VALUE] = [1, 2];
const [ANY_TYPE_URL, ANY_VALUE] = [1, 2];
const VIOLATIONS = 1;
const [VIOLATION_FIELD, VIOLATION_DESCRIPTION] = [1, 2];

/** A `Status` with an `ErrorInfo` that the SDK has none for. */
function statusOf(failure: Failure, code: number): Buffer {
  const { reason, domain } = errorReason(failure);
  const entries = Object.entries(errorMetadata(failure)).map(([key, value]) =>
    field(INFO_METADATA, Buffer.concat([text(ENTRY_KEY, key), text(ENTRY_VALUE, value)])),
  );
  const info = Buffer.concat([text(INFO_REASON, reason), text(INFO_DOMAIN, domain), ...entries]);
  const any = Buffer.concat([text(ANY_TYPE_URL, ERROR_INFO_TYPE), field(ANY_VALUE, info)]);
  const VARINT = 0;
  return Buffer.concat([
    Buffer.of((STATUS_CODE << 3) | VARINT, ...varint(code)),
    text(STATUS_MESSAGE, failure.message),
    field(STATUS_DETAILS, any),
  ]);
}

/** A `BadRequest` as `Any`. A repeated field may stand anywhere in a message, so what is appended is added to it. */
function anyOf(violations: readonly FieldViolation[]): Buffer {
  const told: Buffer[] = [];
  let bytes = 0;
  for (const violation of violations) {
    const next = field(
      VIOLATIONS,
      Buffer.concat([text(VIOLATION_FIELD, violation.field), text(VIOLATION_DESCRIPTION, violation.description)]),
    );
    bytes += next.length;
    if (bytes > MOST_BYTES) break;
    told.push(next);
  }
  return Buffer.concat([text(ANY_TYPE_URL, BAD_REQUEST_TYPE), field(ANY_VALUE, Buffer.concat(told))]);
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
