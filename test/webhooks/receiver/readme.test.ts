import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REFUSAL_STATUS } from '../../../src/webhooks/receiver/codes.ts';
import * as kit from '../../../src/webhooks/receiver/index.ts';

const readme = readFileSync(join(import.meta.dirname, '../../../src/webhooks/receiver/README.md'), 'utf8');

describe('the kit’s README', () => {
  it('imports only what the kit exports', () => {
    const names = [...readme.matchAll(/import \{([^}]+)\} from 'media-buy-agent\/receiver'/g)]
      .flatMap(([, list = '']) => list.split(','))
      .map((name) => name.trim());
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !(name in kit))).toEqual([]);
  });

  it('explains every code of the checklist, and no other', () => {
    const rows = readme.slice(readme.indexOf('## Codes')).matchAll(/^\| (`[^|]*?) +\|/gm);
    const explained = [...rows]
      .flatMap(([, codes = '']) => [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code))
      .map((code) => (code.startsWith('webhook_') ? code : `webhook_signature_${code}`));
    const answeredWithTheirStatus = ['webhook_content_type_unsupported', 'webhook_body_too_large'];
    expect([...explained, ...answeredWithTheirStatus].sort()).toEqual(Object.keys(REFUSAL_STATUS).sort());
  });
});
