import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const ERRORS = 'Errors';

export const ERROR_RULES: readonly Requirement[] = [
  proved(
    'B12',
    ERRORS,
    "A task's error is `{error: {code, message, field}}`, with `recovery` (`transient`, `correctable`, `terminal`) and, where it helps, `suggestion`, `retry_after` and `issues[{pointer, message}]`. On plain HTTP: 400 for bad parameters, 401, 404 for unknown ids, 409 for conflicts, 422 for a schema failure, 429. Over A2A it stands in the data part of a task that failed, or in the JSON-RPC error's `data` when the request was refused. All codes stand in one closed list, and each wire has a place for every one.",
  ),
  proved(
    'B12.details',
    ERRORS,
    "A refused request is told all that is wrong with it in one answer, of form and of substance: `issues` in the order of the request, 50 at most, and in the message as many as 1,000 characters hold, a caller's own keys cut to 64 of them; no wire's own message is longer than a kibibyte. Code and `field` are the first problem's, or the first's that does not fit the schema. gRPC and HTTP+JSON carry `google.rpc.BadRequest` beside `ErrorInfo`. `UNSUPPORTED_FEATURE` is a code of the list, and `AD_SERVER_REJECTED` is correctable.",
  ),
  proved(
    'C.errors.body',
    ERRORS,
    "A task's error is an object `error` with `code`, `message` and, where one input is to blame, its path as `field`.",
  ),
  proved('C.errors.parameters', ERRORS, 'A call with bad parameters is refused as status 400.'),
  proved('C.errors.token', ERRORS, 'A call of a task without a credential, or with one that is not good, answers 401.'),
  proved('C.errors.unknown', ERRORS, 'An unknown product, media buy or creative is refused as status 404.'),
  proved(
    'C.errors.schema',
    ERRORS,
    'Input that does not fit the schema is refused as status 422 with `VALIDATION_ERROR` and the `field`.',
  ),
  proved(
    'C.errors.conflict',
    ERRORS,
    'An idempotency key that is used again with another request answers `IDEMPOTENCY_CONFLICT`.',
  ),
  proved(
    'C.errors.content-type',
    ERRORS,
    'A receiver refuses a webhook that is not `application/json` (415) before it looks at the signature.',
  ),
  proved(
    'C.errors.too-large',
    ERRORS,
    'No webhook body is larger than 1 MB; a receiver answers 413 to one that is, before it looks at the signature.',
  ),
];
