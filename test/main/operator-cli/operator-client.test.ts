import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listApprovals, reject } from '../../../src/admin/operator/approvals/operations.ts';
import { listKeys } from '../../../src/admin/operator/keys/operations.ts';
import { operatorClient } from '../../../src/main/operator-cli/operator-client.ts';
import type { OperatorClient } from '../../../src/main/operator-cli/operator-client.ts';

/** An agent of another version: it answers this whatever it is asked. */
async function agentThatAnswers(body: unknown): Promise<{ client: OperatorClient; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: operatorClient({ baseUrl, key: 'k', by: 'Ann' }), asked };
}

const KEY = {
  kid: 'k1',
  alg: 'ed25519',
  part: 'signing',
  signs_from: '2026-01-01T00:00:00.000Z',
  revoked_at: null,
  signed_24h: 0,
};

it('what only a newer agent knows of is let through, at any depth', async () => {
  const answer = { keys: [{ ...KEY, of_a_newer_release: { kept: 1 } }], has_more: false };
  const { client } = await agentThatAnswers(answer);
  expect(await client.call(listKeys, {})).toEqual(answer);
});

it.each([
  ['a missing field', { keys: [{ ...KEY, kid: undefined }] }, /^keys\[0\]\.kid in the answer of \/keys /],
  [
    'a value it does not know',
    { keys: [KEY, { ...KEY, part: 'frozen' }] },
    /^keys\[1\]\.part in the answer of \/keys /,
  ],
  ['something else altogether', [], /^the answer of \/keys /],
])('%s is told with its place, and that the agent may be of another version', async (_what, answer, words) => {
  const { client } = await agentThatAnswers(answer);
  const call = client.call(listKeys, {});
  await expect(call).rejects.toThrow(words);
  await expect(call).rejects.toThrow(/: the agent may be of another version$/);
});

it('where an action was done, it says so, and does not do it twice', async () => {
  const { client, asked } = await agentThatAnswers({ approval_id: 'apr_1' });
  await expect(client.call(reject, { params: { approval_id: 'apr_1' }, body: { reason: 'no' } })).rejects.toThrow(
    /may be of another version; what you asked for has been done$/,
  );
  expect(asked).toEqual(['POST /api/operator/approvals/apr_1/reject']);
});

it('ids are escaped, and what was not typed is not sent', async () => {
  const { client, asked } = await agentThatAnswers({ approvals: [], has_more: false });
  await client.call(listApprovals, { query: { status: 'all', organization_id: 'a&b', cursor: undefined } });
  await client.call(reject, { params: { approval_id: '../a b?' } }).catch(() => undefined);
  expect(asked).toEqual([
    'GET /api/operator/approvals?status=all&organization_id=a%26b',
    'POST /api/operator/approvals/..%2Fa%20b%3F/reject',
  ]);
});
