import type { AppError, ErrorBody, ErrorCode } from '../platform/errors.ts';
import { HTTP_STATUS } from '../platform/http-status.ts';
import { InputRefusal } from '../platform/intake/input-refusal.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { shownError } from '../platform/store/shown-error.ts';
import type { ToolSet } from './tool-set.ts';

/** Anything thrown before a tool is called, as JSON-RPC over HTTP has it. */
export interface McpFailure {
  /** Of HTTP: what proxies and clients look at first. */
  status: number;
  error: { code: number; message: string; data: { error: ErrorBody; adcp_error?: JsonObject } };
}

/** The codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;
/** Of the codes that JSON-RPC leaves to servers: the one that MCP's own servers refuse with. */
const REFUSED = -32_000;

const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  INVALID_REQUEST,
  UNAUTHORIZED: INVALID_REQUEST,
  NOT_FOUND: METHOD_NOT_FOUND,
  INTERNAL_ERROR,
};

/** Anything thrown, with a refusal of a credential in the words of the tools, too. */
export function mcpFailure(thrown: unknown, tools: Pick<ToolSet, 'credentialRefused'>): McpFailure {
  const error: AppError = shownError(thrown);
  const isUnreadable = error instanceof InputRefusal && error.refusedFor === 'unreadable';
  const code = isUnreadable ? PARSE_ERROR : (CODES[error.code] ?? REFUSED);
  const body = error.toBody();
  const adcp_error = tools.credentialRefused(error);
  const data = { error: body, ...(adcp_error && { adcp_error }) };
  return { status: HTTP_STATUS[error.code], error: { code, message: body.message, data } };
}
