import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import type { Agent } from '../../src/directory/agent/agent.ts';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import type { Collection, Row, Store } from '../../src/platform/store/collection.ts';
import { exportLines, LINE_FORMATS } from '../../src/registry/export/lines.ts';
import { EXPORT_TABLES } from '../../src/registry/export/tables.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { freshAddress, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { serveApp } from './support/serve-app.ts';

type Shown = string | number | boolean | null | string[];

const HOSTILE = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '\uFF1Dx',
  'a "b", c\r\nd',
  ' edge ',
  "it's",
  'ö 😀',
  'a\u2028b\u2029c\u0085d',
];
const DAY_MS = 24 * 3_600_000;
const PUBLISHERS = 45;
const ENTRIES = 230;
const pad = (n: number) => String(n).padStart(4, '0');
const pathOf = (file: string, after?: string) =>
  `/api/registry/export/${file}${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`;

describeOnStores('exports on %s', (kind) => {
  let at: Registry;
  /** Finds made for each collection. */
  const finds = new Map<string, number>();
  const urlsOfPublic: string[] = [];

  beforeAll(async () => {
    at = await startRegistry(kind, { wrapStore: (store) => counting(store, finds), sizes: { export: 10_000 } });
    const now = toTimestamp(at.clock.now());
    const agent = (url: string, name: string, visibility: Agent['visibility']): Agent => ({
      ...{ agent_id: randomUUID(), url, organization_id: organizationId('org_operator'), name, type: 'sales' },
      ...{ visibility, created_at: now, updated_at: now, revision: 1 },
    });
    const rows = Array.from({ length: 420 }, (_, n) =>
      agent(`https://a${pad(n)}.example`, HOSTILE[n] ?? `Agent ${n}`, 'public'),
    );
    urlsOfPublic.push(...rows.map(({ url }) => url));
    // Out of order, so that the order of the answer is the store's own.
    await at.store
      .collection(agents)
      .insertMany([
        agent('https://a0001-private.example', 'Secret', 'private'),
        agent('https://a0002-members.example', 'Secret', 'members_only'),
        ...rows.reverse(),
      ]);
    await at.store.collection(publishers).insertMany(
      Array.from({ length: PUBLISHERS }, (_, n) => ({
        ...{ publisher_domain: `p${pad(n)}.example`, source: 'adagents_json' as const, verified: n > 0 },
        ...{ properties: [], created_at: now, updated_at: now, revision: 1 },
      })),
    );
    await at.store
      .collection(authorizations)
      .insertMany(Array.from({ length: ENTRIES }, (_, n) => entry(n, ENTRY_MEMBERS[n] ?? {})));
  });
  afterAll(() => at.close());

  const ENTRY_MEMBERS: Record<number, object> = {
    0: { effective_until: '2020-01-01T00:00:00Z', countries: ['de', 'FR'] },
    1: { revoked: true, exclusive: true },
    2: { authorized_for: undefined },
    3: { property_ids: ['app'], authorized_for: '=cmd|calc' },
  };
  function entry(n: number, more: object) {
    const members = { url: 'https://a0000.example', authorized_for: 'display', ...more };
    const { authorized_for = '' } = members as { authorized_for?: string };
    const publisher_domain = `p${pad(n)}.example`;
    return {
      authorization_id: authorizationId(publisher_domain, members.url, 'adagents_json', 'e'),
      ...{ publisher_domain, agent_url: members.url, authorized_for, source: 'adagents_json' as const },
      ...{
        entry_id: 'e',
        entry_json: JSON.stringify(members),
        source_url: `https://${publisher_domain}/adagents.json`,
      },
      ...{ seen_at: toTimestamp(at.clock.now() - DAY_MS), revision: 1 },
    };
  }

  const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
  const objectsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line) as Record<string, Shown>);
  /** Also of types that the client reads as a stream of bytes. */
  const textOf = async (path: string) => {
    const answer = await at.get(path).buffer(true).parse(asText);
    expect(answer.status).toBe(200);
    return { text: answer.body as string, headers: answer.headers as Record<string, string> };
  };

  it('[R15.export] hands over every public agent once, in order, and nobody who is not public', async () => {
    const { text, headers } = await textOf(pathOf('agents.ndjson'));
    expect(objectsOf(text).map(({ url }) => url)).toEqual([...urlsOfPublic].sort());
    expect(text).not.toContain('Secret');
    // Nor a line that only some take for one: the name with them is read back as it is.
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(objectsOf(text).map(({ name }) => name)).toContain('a\u2028b\u2029c\u0085d');
    expect(headers).toMatchObject({
      'content-type': expect.stringContaining('application/x-ndjson') as string,
      'content-disposition': `attachment; filename="agents-${toTimestamp(at.clock.now()).slice(0, 10)}.ndjson"`,
      'cache-control': 'no-cache',
    });
  });

  it.each(['agents', 'publishers', 'authorizations'] as const)(
    '[R15.export] hands over %s as CSV and as NDJSON alike, and goes on behind any key without gap or double',
    async (what) => {
      const [csv, ndjson] = await Promise.all([textOf(pathOf(`${what}.csv`)), textOf(pathOf(`${what}.ndjson`))]);
      const [header = [], ...rows] = parseCsv(csv.text);
      const objects = objectsOf(ndjson.text);
      expect(header).toEqual(EXPORT_TABLES[what].columns);
      expect(rows).toEqual(objects.map((row) => header.map((name) => shownInCsv(row[name]))));
      const keys = objects.map((row) => String(row[header[0] ?? '']));
      expect(keys).toEqual([...new Set(keys)].sort());
      expect(keys).toHaveLength({ agents: 420, publishers: PUBLISHERS, authorizations: ENTRIES }[what]);
      const middle = Math.floor(keys.length / 2);
      const rest = await textOf(pathOf(`${what}.csv`, keys[middle]));
      expect(csv.text.endsWith(rest.text)).toBe(true);
      expect(parseCsv(rest.text)).toEqual(rows.slice(middle + 1));
      expect((await textOf(pathOf(`${what}.csv`, keys.at(-1)))).text).toBe('');
    },
  );

  it('[R15.export] hands over entries as published, with their dates, also those that count for nothing', async () => {
    const { text } = await textOf(pathOf('authorizations.ndjson'));
    const of = new Map(objectsOf(text).map((row) => [row['publisher_domain'], row]));
    const plain = { covers: 'all', valid_from: null, valid_until: null, revoked_from: null, exclusive: false };
    expect(of.get('p0000.example')).toMatchObject({
      ...{ ...plain, valid_until: '2020-01-01T00:00:00.000Z', countries: ['DE', 'FR'] },
      ...{ source: 'adagents_json', source_url: 'https://p0000.example/adagents.json' },
    });
    expect(of.get('p0001.example')).toMatchObject({ ...plain, revoked_from: 'always', exclusive: true });
    expect(of.get('p0002.example')).toMatchObject({ ...plain, covers: 'nothing', authorized_for: '' });
    expect(of.get('p0003.example')).toMatchObject({ ...plain, covers: 'part', authorized_for: '=cmd|calc' });
  });

  it('[R15.export] lets no cell of a CSV be a formula, and quotes what would break a row', async () => {
    const { text } = await textOf(pathOf('agents.csv'));
    const rows = parseCsv(text);
    for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\n\uFF1D]/);
    expect(rows.slice(1, HOSTILE.length + 1).map(([, name]) => name)).toEqual(HOSTILE.map(shownInCsv));
    expect(text).toContain('"a ""b"", c\r\nd"');
  });

  it('[R15.export] answers HEAD with the headers, and reads next to nothing for it', async () => {
    finds.clear();
    const served = await serveApp(at.app);
    const answer = await fetch(`${served.origin}${pathOf('agents.csv')}`, { method: 'HEAD' });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    await served.close();
    expect(finds.get('agents') ?? 0).toBeLessThanOrEqual(1);
  });

  it.each([
    ['what', 'badges.csv'],
    ['limit', 'agents.csv?limit=5'],
    ['after', `agents.csv?after=${'x'.repeat(2001)}`],
  ])('[R15.export] refuses what it does not serve, and names %s', async (field, file) => {
    const answer = await at.get(`/api/registry/export/${file}`);
    expect(answer.status).toBe(400);
    expect((answer.body as { error: string }).error).toContain(field);
  });

  it('[R15.export] has one row a line for readers that end lines at separators of Unicode, too', () => {
    const name = 'one\u2028two\u2029three';
    const line = LINE_FORMATS.ndjson.line(['name'], { name });
    expect(line).toMatch(/^[^\u2028\u2029\n]+\n$/);
    expect(JSON.parse(line)).toEqual({ name });
  });

  describe('a client that goes', () => {
    it('[R15.export] ends the reading: no page is read that nobody takes, and none after it went', async () => {
      finds.clear();
      const gone = new AbortController();
      const given = { format: LINE_FORMATS.ndjson, after: '', signal: gone.signal };
      const lines = exportLines(counting(at.store, finds), EXPORT_TABLES.agents, given);
      await lines.next();
      const taken = await lines.next();
      expect(linesOf(String(taken.value))).toHaveLength(200);
      expect(finds.get('agents')).toBe(1);
      gone.abort();
      expect(await lines.next()).toEqual({ done: true, value: undefined });
      expect(finds.get('agents')).toBe(1);
    });

    it('[R15.export] makes room for another: two at once from one address, and a place is let go with its client', async () => {
      const row = entry(0, {});
      // More than connections hold by themselves (a system may let each take 33 MB), so that an export nobody reads cannot end.
      await at.store.collection(authorizations).insertMany(
        Array.from({ length: 260 }, (_, n) => ({
          ...{ ...row, authorization_id: pad(n), source_url: `https://p.example/${'x'.repeat(200_000)}` },
        })),
      );
      const served = await serveApp(at.app);
      const address = freshAddress();
      const opened: AbortController[] = [];
      // Kept: a client lets go of an answer that nobody holds any more.
      const unread: Response[] = [];
      const open = async () => {
        const leaving = new AbortController();
        opened.push(leaving);
        const headers = { 'X-Forwarded-For': address };
        const url = `${served.origin}${pathOf('authorizations.csv')}`;
        const response = await fetch(url, { headers, signal: leaving.signal });
        unread.push(response);
        return response.status;
      };
      expect([await open(), await open(), await open()]).toEqual([200, 200, 429]);
      opened[0]?.abort();
      await until(async () => (await open()) === 200);
      for (const leaving of opened) leaving.abort();
      await served.close();
    });

    it('[R15.export] that takes nothing and stays is given up, and makes room, too', async () => {
      // Asked as often as it takes until there is room.
      const slow = await startRegistry('sqlite', { stallMs: 300, sizes: { export: 100_000 } });
      const row = entry(0, {});
      await slow.store.collection(authorizations).insertMany(
        Array.from({ length: 260 }, (_, n) => ({
          ...{ ...row, authorization_id: pad(n), source_url: `https://p.example/${'x'.repeat(200_000)}` },
        })),
      );
      const served = await serveApp(slow.app);
      const headers = { 'X-Forwarded-For': freshAddress() };
      const leaving = new AbortController();
      const open = async () =>
        (await fetch(`${served.origin}${pathOf('authorizations.csv')}`, { headers, signal: leaving.signal })).status;
      expect([await open(), await open()]).toEqual([200, 200]);
      await until(async () => (await open()) === 200);
      leaving.abort();
      await served.close();
      await slow.close();
    });
  });
});

function counting(store: Store, finds: Map<string, number>): Store {
  const counted = <R extends Row>(inner: Collection<R>): Collection<R> => ({
    ...inner,
    find: (query) => {
      finds.set(inner.spec.name, (finds.get(inner.spec.name) ?? 0) + 1);
      return inner.find(query);
    },
  });
  return { ...store, collection: (spec) => counted(store.collection(spec)) };
}

function asText(answer: object, done: (error: Error | null, text: string) => void): void {
  const response = answer as NodeJS.ReadableStream;
  const pieces: Buffer[] = [];
  response.on('data', (piece: Buffer | string) => pieces.push(Buffer.from(piece)));
  response.on('end', () => {
    done(null, Buffer.concat(pieces).toString('utf8'));
  });
}

/** A value of NDJSON as a cell of CSV has it. */
function shownInCsv(value: Shown | undefined): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  return /^[=+\-@\t\r\n\uFF1D]/.test(text) ? `'${text}` : text;
}

/** By RFC 4180, and by nothing of ours. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let found = cell.exec(text); found !== null; found = cell.exec(text)) {
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === ',') continue;
    rows.push(cells);
    cells = [];
  }
  return rows;
}
