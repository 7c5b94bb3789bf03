import type { Caller } from '../directory/caller.ts';
import type { McpMessage } from './message-body.ts';

/** One authenticated request. */
export interface Exchanged {
  caller: Caller;
  headers: Headers;
  message: McpMessage;
  /** Aborts when the client has gone. */
  gone: AbortSignal;
  /** Aborts then, and when an answer must not be waited for any longer; with an error, when there is to be none. */
  signal: AbortSignal;
}
