import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import vectors from '../signing/vectors.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');

/** What a buyer's engineer writes: plain JavaScript, nothing installed but this package. */
const BUYER = `
import { memoryReplayStore, verifyWebhook } from 'media-buy-agent/receiver';
const { request, jwks, nowMs } = JSON.parse(process.argv[2]);
request.rawBody = Buffer.from(request.body);
const rules = { jwks, replay: memoryReplayStore(), now: () => nowMs };
console.log(JSON.stringify([await verifyWebhook(request, rules), await verifyWebhook(request, rules)]));
`;

it('the kit runs from the package under plain Node, with no dependency installed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'receiver-package-'));
  try {
    const installed = join(dir, 'node_modules/media-buy-agent');
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const outDir = join(installed, 'dist/receiver');
    // Whether it compiles is checked with all the rest of the project.
    const project = join(root, 'tsconfig.receiver.json');
    execFileSync(process.execPath, [compiler, '-p', project, '--outDir', outDir, '--noCheck']);
    cpSync(join(root, 'package.json'), join(installed, 'package.json'));
    writeFileSync(join(dir, 'buyer.mjs'), BUYER);
    const [vector] = vectors.signatures;
    const { d: _private, ...published } = vectors.keys.ed25519;
    const input = {
      nowMs: (vector?.created ?? 0) * 1000,
      jwks: { keys: [{ ...published, use: 'sig', key_ops: ['verify'], proto_use: 'request-signing' }] },
      request: {
        method: 'POST',
        url: vector?.url,
        body: vector?.body,
        headers: { 'Content-Type': vector?.content_type, ...vector?.headers },
      },
    };
    const printed = execFileSync(process.execPath, [join(dir, 'buyer.mjs'), JSON.stringify(input)], {
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toEqual([
      { ok: true, keyid: 'vector-ed25519', label: 'sig1' },
      { ok: false, code: 'webhook_signature_replayed', status: 401 },
    ]);
    expect(readFileSync(join(outDir, 'webhooks/receiver/index.d.ts'), 'utf8')).toContain('verifyWebhook');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
