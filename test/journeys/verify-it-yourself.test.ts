import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runAgentCommand } from '../main/support/cli.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { mediaBuyInput, send, taskOf } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

let agent: TestAgent;
let receiver: Receiver;
let folder: string;
beforeAll(async () => {
  receiver = await openReceiver();
  agent = await startTestAgent('sqlite');
  folder = await mkdtemp(join(tmpdir(), 'verify-it-yourself-'));
});
afterAll(async () => {
  await agent.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

const get = async (path: string) => {
  const answer = await fetch(`${agent.baseUrl}/api/buyer/webhooks${path}`, {
    headers: { authorization: `Bearer ${agent.apiKey}` },
  });
  return (await answer.json()) as Record<string, unknown>;
};

it('[C.endpoints.buyer-webhooks] the commands beside a webhook verify the bytes shown, with what a receiver kept', async () => {
  const push_notification_config = { url: receiver.url('/hook?secret=1'), operation_id: 'op-1' };
  const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
  const [delivery_id] = await until(async () => {
    const { deliveries } = (await get(`/deliveries?task_id=${id}&state=delivered`)) as {
      deliveries: { delivery_id: string; idempotency_key: string }[];
    };
    return deliveries.length > 0 && deliveries.map((one) => one.delivery_id);
  });
  const { text, content_digest, verify } = (await get(`/deliveries/${delivery_id ?? ''}/body`)) as {
    text: string;
    content_digest: string;
    verify: { digest: string; proof: string };
  };
  const got = receiver.received.find(({ rawBody }) => rawBody.toString() === text);
  const head = Object.entries(got?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const request = [`${got?.method ?? ''} ${got?.url ?? ''} HTTP/1.1`, ...head];
  await writeFile(join(folder, 'head.txt'), request.join('\r\n'));
  await writeFile(join(folder, 'body.json'), text);

  const { stdout: digest } = await promisify(execFile)('sh', ['-c', verify.digest], { cwd: folder });
  expect(`sha-256=:${digest.trim()}:`).toBe(content_digest);
  const [npx, program, ...args] = verify.proof.split(' ');
  expect([npx, program]).toEqual(['npx', 'media-buy-agent']);
  const inFolder = args.map((arg) => (/\.(txt|json)$/.test(arg) ? join(folder, arg) : arg));
  const { status, stdout } = await runAgentCommand(inFolder, {});
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^verified +yes\n/)]);
});
