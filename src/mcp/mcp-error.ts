import { ProtocolError } from '@modelcontextprotocol/server';
import { mcpFailure } from './failure.ts';
import type { ToolSet } from './tool-set.ts';

/** JSON-RPC's code for parameters that name or hold what there is not. */
export const INVALID_PARAMS = -32_602;

/** Anything thrown as the JSON-RPC error that answers a request. @param as its code, where that is another than usual. */
export function mcpError(thrown: unknown, tools: Pick<ToolSet, 'credentialRefused'>, as?: number): ProtocolError {
  const { code, message, data } = mcpFailure(thrown, tools).error;
  return new ProtocolError(as ?? code, message, data);
}
