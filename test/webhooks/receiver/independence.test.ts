import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = join(import.meta.dirname, '../../../src');

/** Every file that importing these files brings along, and every package or Node module. */
function closureOf(files: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const [seen, packages, waiting] = [new Set<string>(), new Set<string>(), [...files]];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, types, from = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)( type)? [^;]*? from '([^']+)';/gm,
    )) {
      if (from.startsWith('.')) waiting.push(resolve(dirname(file), from));
      else packages.add(`${types === undefined ? '' : 'types of '}${from}`);
    }
  }
  return { files: new Set([...seen].map((file) => relative(src, file))), packages };
}

const kit = join(src, 'webhooks/receiver');
const { files, packages } = closureOf(
  readdirSync(kit)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(kit, name)),
);

describe('the receiver kit', () => {
  it('brings nothing of the server along', () => {
    const others = [...files].filter((file) => !/^webhooks[/](receiver|signing)[/]/.test(file));
    expect(others.sort()).toEqual([
      'platform/outbound/address-guard.ts',
      'platform/outbound/ipv6-words.ts',
      'platform/outbound/url-guard.ts',
      'platform/protocol-name.ts',
    ]);
  });

  it('needs no package but the types of Express', () => {
    expect([...packages].filter((name) => !/(^|types of )node:/.test(name))).toEqual(['types of express']);
  });
});
