import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const MCP = 'MCP';

export const MCP_RULES: readonly Requirement[] = [
  proved(
    'D9',
    MCP,
    '`/mcp` serves the Model Context Protocol of 2025 and of 2026-07-28 at one address and without sessions: each request is answered by itself, by any process of an installation. It is sent by POST, one message at a time; GET and DELETE are answered 405.',
  ),
  proved(
    'D9.tools',
    MCP,
    'Each task of the public protocol whose name a tool may have is a tool, always in the same order; with `MCP_TASKS=contract`, each task of the agent’s own instead, in its own words. Schemas of inputs are of a few kilobytes and refer to nothing elsewhere. Reads say that they are, and a tool that changes something wants an `idempotency_key`.',
  ),
  proved(
    'D9.answers',
    MCP,
    'A tool answers the body that the task has over A2A as `structuredContent`, and the same JSON as text. What has failed is marked by `isError` and tells its error in the body; work that goes on is answered after ten seconds at most by its `task_id`. A tool that does not exist, and what is no message, is a JSON-RPC error.',
  ),
  proved(
    'D9.tasks',
    MCP,
    'A client of 2026-07-28 that declares `io.modelcontextprotocol/tasks` on a request is answered with a task where the work of a tool is not over within half a second, and no other client ever is. Any server then tells how it stands (`tasks/get`: the result as the tool would have told it), takes the answer to a question (`tasks/update`) and cancels it (`tasks/cancel`) up to its point of no return; another organization’s task is an unknown one. There is no list of tasks and no result that is waited for.',
  ),
  proved(
    'D9.callers',
    MCP,
    'The same credentials open `/mcp` as A2A, access tokens for the resource `/mcp`; without one the answer is 401 with where to get one. Requests count in the budget of A2A’s. An answer that waits ends with its credential, and when the server stops.',
  ),
  proved(
    'D9.names',
    MCP,
    'Whoever calls `/mcp` by a name that is not this agent’s, or from a page whose origin the settings do not allow, is refused with 403 before anything else.',
  ),
];
