import pg from 'pg';

/** The rows that a story leaves behind, for peers on PostgreSQL. */
export async function openRows(connectionString) {
  const pool = new pg.Pool({ connectionString, max: 40 });
  pool.on('error', () => undefined); // a connection that is lost at the end
  await pool.query(`
    CREATE TABLE IF NOT EXISTS runs (id uuid PRIMARY KEY, state text NOT NULL, body jsonb NOT NULL, updated_at timestamptz NOT NULL DEFAULT now());
    CREATE INDEX IF NOT EXISTS runs_updated ON runs (updated_at);
    CREATE TABLE IF NOT EXISTS buys (id text PRIMARY KEY, run_id uuid NOT NULL, body jsonb NOT NULL);
    CREATE TABLE IF NOT EXISTS deliveries (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), run_id uuid NOT NULL, url text NOT NULL,
      body text NOT NULL, state text NOT NULL DEFAULT 'pending', attempts jsonb NOT NULL DEFAULT '[]');
    CREATE INDEX IF NOT EXISTS deliveries_run ON deliveries (run_id);`);
  return pool;
}

/** Does `work` in one transaction. */
export async function inTransaction(pool, work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

export const insertRun = (client, buy) =>
  client.query("INSERT INTO runs (id, state, body) VALUES ($1, 'submitted', $2)", [buy.id, buy]);

export const moveRun = (client, id, state) =>
  client.query('UPDATE runs SET state = $2, updated_at = now() WHERE id = $1', [id, state]);

export async function readRun(pool, id) {
  const { rows } = await pool.query('SELECT body FROM runs WHERE id = $1', [id]);
  return rows[0].body;
}

export const insertBuy = (client, id, result) =>
  client.query('INSERT INTO buys (id, run_id, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    result.media_buy_id,
    id,
    result,
  ]);

export async function insertDelivery(client, { id, url, body }) {
  const { rows } = await client.query('INSERT INTO deliveries (run_id, url, body) VALUES ($1, $2, $3) RETURNING id', [
    id,
    url,
    body,
  ]);
  return rows[0].id;
}

export async function readDelivery(pool, id) {
  const { rows } = await pool.query('SELECT url, body FROM deliveries WHERE id = $1', [id]);
  return rows[0];
}

export const recordAttempt = (pool, id, status) =>
  pool.query("UPDATE deliveries SET state = 'delivered', attempts = attempts || $2::jsonb WHERE id = $1", [
    id,
    JSON.stringify([{ at: new Date().toISOString(), status }]),
  ]);
