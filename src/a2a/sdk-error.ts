import { RequestMalformedError } from '@a2a-js/sdk/errors';
import {
  GRPC_STATUS_CODE,
  GrpcContentTypeNotSupportedError,
  GrpcExtendedAgentCardNotConfiguredError,
  GrpcExtensionSupportRequiredError,
  GrpcInvalidAgentResponseError,
  GrpcPushNotificationNotSupportedError,
  GrpcRequestMalformedError,
  GrpcTaskNotCancelableError,
  GrpcTaskNotFoundError,
  GrpcUnsupportedOperationError,
  GrpcVersionNotSupportedError,
} from '@a2a-js/sdk/errors/grpc';
import type { Binding } from './call.ts';
import { errorMetadata, failureOf } from './failure.ts';
import type { A2aReason, Failure } from './failure.ts';

/**
 * What the SDK is given in the place of anything thrown: nothing in it is secret. Over HTTP only its place is needed,
 * since the edge writes errors itself; over gRPC the SDK writes it, with what the caller may know in its metadata.
 */
export function sdkError(error: unknown, binding: Binding): Error {
  const failure = failureOf(error);
  const { message } = failure;
  if (binding !== 'GRPC') return new RequestMalformedError(message);
  const Class = GRPC_ERRORS[failure.reason];
  return new Class({ message, status: grpcStatus(failure), metadata: errorMetadata(failure) });
}

const GRPC_ERRORS = {
  TASK_NOT_FOUND: GrpcTaskNotFoundError,
  TASK_NOT_CANCELABLE: GrpcTaskNotCancelableError,
  PUSH_NOTIFICATION_NOT_SUPPORTED: GrpcPushNotificationNotSupportedError,
  UNSUPPORTED_OPERATION: GrpcUnsupportedOperationError,
  CONTENT_TYPE_NOT_SUPPORTED: GrpcContentTypeNotSupportedError,
  INVALID_AGENT_RESPONSE: GrpcInvalidAgentResponseError,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: GrpcExtendedAgentCardNotConfiguredError,
  EXTENSION_SUPPORT_REQUIRED: GrpcExtensionSupportRequiredError,
  VERSION_NOT_SUPPORTED: GrpcVersionNotSupportedError,
  PARSE_ERROR: GrpcRequestMalformedError,
  INVALID_REQUEST: GrpcRequestMalformedError,
  METHOD_NOT_FOUND: GrpcRequestMalformedError,
  INVALID_PARAMS: GrpcRequestMalformedError,
  INTERNAL_ERROR: GrpcRequestMalformedError,
} as const satisfies Record<A2aReason, unknown>;

/** The gRPC status of an error (A2A 1.0 section 5.4). */
export function grpcStatus({ reason, status }: Failure): number {
  return REASON_STATUSES[reason] ?? GRPC_STATUSES[status] ?? GRPC_STATUS_CODE.INTERNAL;
}

/** Where the reason says more than the HTTP status. */
const REASON_STATUSES: Partial<Record<A2aReason, number>> = {
  TASK_NOT_CANCELABLE: GRPC_STATUS_CODE.FAILED_PRECONDITION,
  PUSH_NOTIFICATION_NOT_SUPPORTED: GRPC_STATUS_CODE.UNIMPLEMENTED,
  UNSUPPORTED_OPERATION: GRPC_STATUS_CODE.UNIMPLEMENTED,
  VERSION_NOT_SUPPORTED: GRPC_STATUS_CODE.UNIMPLEMENTED,
  METHOD_NOT_FOUND: GRPC_STATUS_CODE.UNIMPLEMENTED,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: GRPC_STATUS_CODE.FAILED_PRECONDITION,
  EXTENSION_SUPPORT_REQUIRED: GRPC_STATUS_CODE.FAILED_PRECONDITION,
};

const GRPC_STATUSES: Readonly<Record<number, number>> = {
  400: GRPC_STATUS_CODE.INVALID_ARGUMENT,
  401: GRPC_STATUS_CODE.UNAUTHENTICATED,
  403: GRPC_STATUS_CODE.PERMISSION_DENIED,
  404: GRPC_STATUS_CODE.NOT_FOUND,
  409: GRPC_STATUS_CODE.FAILED_PRECONDITION,
  413: GRPC_STATUS_CODE.INVALID_ARGUMENT,
  415: GRPC_STATUS_CODE.INVALID_ARGUMENT,
  422: GRPC_STATUS_CODE.INVALID_ARGUMENT,
  429: GRPC_STATUS_CODE.RESOURCE_EXHAUSTED,
  500: GRPC_STATUS_CODE.INTERNAL,
  503: GRPC_STATUS_CODE.UNAVAILABLE,
  504: GRPC_STATUS_CODE.DEADLINE_EXCEEDED,
};
