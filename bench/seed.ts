import Database from 'libsql';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';

/** Publishers of the seed: 38 MB of them. */
const PUBLISHERS = 100_000;
/** Promised, of processor time in milliseconds. */
const LIMIT_MS = 20_000;
/** Promised, in milliseconds that the event loop is held up. */
const LIMIT_STALL_MS = 150;
/** Rows that the peer inserts in one transaction, as many as ours. */
const AT_ONCE = 500;

/** Tables that a seed fills. */
const PLANTED = [
  ...['organizations', 'member_profiles', 'agents', 'authorizations', 'publishers'],
  ...['property_identifiers', 'feed_events', 'search_entries', 'search_hints'],
] as const;

/**
 * What a process takes that plants a seed of 38 MB into an empty registry on the embedded store (`--rows` for another number of
 * publishers), a process of its own, from reading the file to the last row. The peer reads the same file as JSON in one go, and inserts the very rows
 * that ours wrote, with neither an index nor a check, as many in one transaction.
 */
export async function benchSeed({ rows }: { rows?: string }): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mba-bench-seed-'));
  const logger = createLogger('error');
  const redis = await usePrivateRedis({ dataDir, logger });
  try {
    const catalogDir = join(dataDir, 'catalog');
    await cp(fileURLToPath(new URL('../catalog', import.meta.url)), catalogDir, { recursive: true });
    const text = seedOf(Number(rows ?? PUBLISHERS));
    await writeFile(join(catalogDir, 'registry-seed.json'), text);
    const entry = fileURLToPath(new URL('seed-side.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', entry], {
      env: {
        ...{ ...process.env, NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'error', MONGODB_URL: '' },
        ...{ DATA_DIR: dataDir, CATALOG_DIR: catalogDir, REDIS_URL: redis.url },
        SECRET_KEY: 'the secret of a bench that seals nothing',
      },
    });
    const ours = JSON.parse(stdout) as Record<'planted' | 'ms' | 'cpu' | 'writes' | 'stall', number>;
    const peer = bare(text, dataDir);
    const verdict = (value: number, limit: number) => `${value <= limit ? 'within' : 'OVER'} ${limit} ms`;
    console.log(
      [
        `a seed of ${(text.length / 1e6).toFixed(0)} MB: ${(ours.ms / 1000).toFixed(1)} s`,
        `cpu ${(ours.cpu / 1000).toFixed(1)} s, ${verdict(ours.cpu, LIMIT_MS)}`,
        `loop held up at most ${ours.stall.toFixed(0)} ms, ${verdict(ours.stall, LIMIT_STALL_MS)}`,
        `${ours.writes} writes, ${peer.rows} rows`,
        `the same rows bare: cpu ${(peer.cpu / 1000).toFixed(1)} s, ×${(ours.cpu / peer.cpu).toFixed(1)}`,
      ].join('   '),
    );
  } finally {
    await redis.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A publisher's entry each, of a site and an app, which authorizes one agent of a thousand. */
function seedOf(count: number): string {
  const source = 'adagents_json';
  const publishers = Array.from({ length: count }, (_, i) => {
    const publisher_domain = `publisher-${i}.example`;
    const identifiers = [{ type: 'domain', value: publisher_domain }];
    const url = `https://agent-${i % 1000}.operator.example/a2a`;
    return {
      ...{ publisher_domain, source, verified: true },
      properties: [
        {
          property_id: 'site',
          property_type: 'website',
          name: `Publisher ${i}, its site`,
          identifiers,
          tags: ['site'],
        },
      ],
      authorized_agents: [{ url, authorized_for: 'all inventory', source }],
    };
  });
  return JSON.stringify({ organizations: [], publishers });
}

function bare(text: string, dataDir: string): { cpu: number; rows: number } {
  const planted = new Database(join(dataDir, 'store.db'));
  const all = PLANTED.map((table) => planted.prepare(`SELECT key, body FROM "${table}"`).raw(true).all() as string[][]);
  planted.close();
  const usage = process.cpuUsage();
  JSON.parse(text);
  const db = new Database(join(dataDir, 'bare.db'));
  db.prepare('PRAGMA journal_mode = WAL').all();
  db.exec('PRAGMA synchronous = NORMAL');
  for (const [i, rows] of all.entries()) {
    db.exec(`CREATE TABLE t${i} (key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL)`);
    const insert = db.prepare(`INSERT INTO t${i} (key, body) VALUES (?, ?)`);
    for (let from = 0; from < rows.length; from += AT_ONCE) {
      db.exec('BEGIN');
      for (const row of rows.slice(from, from + AT_ONCE)) insert.run(row);
      db.exec('COMMIT');
    }
  }
  db.close();
  const { user, system } = process.cpuUsage(usage);
  return { cpu: (user + system) / 1000, rows: all.reduce((sum, rows) => sum + rows.length, 0) };
}
