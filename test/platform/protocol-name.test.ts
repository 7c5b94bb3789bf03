import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { protocolNames } from '../../src/platform/protocol-name.ts';

describe('protocolNames', () => {
  it('[N1] derives every name from the one configured name', () => {
    expect(protocolNames('adcp')).toEqual({
      name: 'adcp',
      webhookSignatureTag: 'adcp/webhook-signing/v1',
      keyUseField: 'adcp_use',
      hmacSignatureHeader: 'X-ADCP-Signature',
      hmacTimestampHeader: 'X-ADCP-Timestamp',
      versionField: 'adcp_version',
      agentCardExtensionUri: 'https://adcontextprotocol.org/extensions/adcp',
    });
  });

  it('[N1] is proto unless another name is configured', () => {
    expect(protocolNames()).toMatchObject({
      webhookSignatureTag: 'proto/webhook-signing/v1',
      hmacSignatureHeader: 'X-PROTO-Signature',
    });
  });

  it.each(['a', 'a2', 'ad-cp', 'x'.repeat(32)])('takes the name %j', (name) => {
    expect(protocolNames(name).name).toBe(name);
  });

  it.each(['', 'Proto', '2a', '-a', 'a b', 'a/b', 'a_b', 'é', 'x'.repeat(33), 'a\n'])('refuses the name %j', (name) => {
    expect(() => protocolNames(name)).toThrow(RangeError);
  });

  it('[N1] no other source file spells a derived name, but the dialect that is one', () => {
    const src = join(import.meta.dirname, '../../src');
    const spelled = /(?:proto|adcp)(?:\/webhook-signing|_use|_version)|X-(?:PROTO|ADCP)-(?:Signature|Timestamp)/i;
    const offenders = readdirSync(src, { recursive: true, encoding: 'utf8' })
      // The public protocol is called what it is, whatever this installation is set to.
      .filter((path) => path.endsWith('.ts') && !path.endsWith('protocol-name.ts') && !path.startsWith('dialects/'))
      .filter((path) => spelled.test(withoutComments(readFileSync(join(src, path), 'utf8'))));
    expect(offenders).toEqual([]);
  });
});

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
}
