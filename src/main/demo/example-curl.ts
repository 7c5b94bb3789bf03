import type { Core } from '../wiring/compose.ts';

/** A command that makes a media buy when pasted: the example of the task's card skill, in a JSON-RPC message. */
export function exampleCurl({ runtime, baseUrl, ids }: Core, api_key: string): string {
  const input = runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  const message = {
    messageId: ids.newId(),
    role: 'ROLE_USER',
    parts: [
      { data: { skill: 'create_media_buy', input: { ...input, buyer_ref: `hello-${ids.newId().slice(0, 8)}` } } },
    ],
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  return `curl -s ${baseUrl}/a2a/jsonrpc \\
  -H 'Authorization: Bearer ${api_key}' -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \\
  -d '${JSON.stringify(request).replaceAll("'", "'\\''")}'`;
}
