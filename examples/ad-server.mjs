// The least that an ad server must answer to be sold on (docs/adapters.md), on Node alone: lines by cpm, spread evenly over their
// flight. It keeps its orders in memory, which no real one may. AD_SERVER_TOKEN=… PORT=8071 node examples/ad-server.mjs
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { AD_SERVER_TOKEN: TOKEN = '', PORT = '8071' } = process.env;
const HOUR_MS = 3_600_000;
const MOST_LINES = 400;

const DESCRIPTION = {
  ...{ adapter: 'example', protocol: 1, clock_speed: 1, currencies: 'any' },
  pricing: [{ model: 'cpm', delivery_types: ['guaranteed', 'non_guaranteed'] }],
  ...{ targeting: { countries: true }, cap_units: [], daily_cap: false, pacing: ['even'] },
  ...{ creative_kinds: ['image', 'html', 'video'], uploads_creatives: false, reviews_creatives: false },
  ...{ budget_cut: 'exact', approval: 'none', forecast: false, inventory: false },
  statements: {
    ...{ time_zone: 'UTC', offset_minutes: 0, delay_minutes: 0, restates_hours: 0 },
    ...{ by_creative: false, spend: 'computed', metrics: ['impressions', 'clicks'] },
  },
  limits: { calls_per_second: 50, reports_per_hour: 3600, lines_per_order: MOST_LINES },
  product_config_schema: { type: 'object' },
};

/**
 * By media_buy_id: `last`, the highest version that was put and what became of it; `order`, the one that holds; and `spans`, how
 * each line delivers: so many impressions a millisecond from one instant to another.
 */
const orders = new Map();
const rowOf = ({ media_buy_id }) => orders.get(media_buy_id) ?? { spans: new Map() };

function put(order) {
  const row = rowOf(order);
  const { version, digest } = order;
  const { last } = row;
  if (last && version < last.version) return { outcome: 'stale', version: last.version };
  if (last?.version === version && last.digest !== digest) throw refusal(400, 'broken', 'another order under it');
  if (last?.version !== version) {
    row.last = { version, digest, reasons: reasonsAgainst(order, row) };
    if (row.last.reasons.length === 0) hold(row, order);
    orders.set(order.media_buy_id, row);
  }
  const { reasons } = row.last;
  if (reasons.length > 0) return { outcome: 'refused', reasons };
  return { outcome: 'done', native: nativeOf(row), lines: linesOf(row) };
}

function check(order) {
  const row = rowOf(order);
  if (row.last && order.version <= row.last.version) return { outcome: 'unknown' };
  const reasons = reasonsAgainst(order, row);
  return reasons.length > 0 ? { outcome: 'refused', reasons } : { outcome: 'done' };
}

/** Why it cannot be done just so: never wider than asked (P8), and nothing over an order that has ended (P6). */
function reasonsAgainst({ state, lines }, row) {
  const isOver = row.order?.state === 'ended' && state !== 'ended';
  if (isOver) return [{ code: 'other', pointer: '/state', message: 'the order has ended' }];
  if (lines.length > MOST_LINES) return [{ code: 'limit', pointer: '/lines', message: `at most ${MOST_LINES} lines` }];
  return lines.flatMap((line, i) => {
    const { package_id, targeting, pricing, budget_minor } = line;
    const least_minor = Math.ceil((countAt(row.spans.get(package_id), Date.now()) * pricing.rate_minor) / 1000);
    const wrong = [
      ...Object.keys(targeting).map((axis) => axis !== 'countries' && ['targeting', `targeting/${axis}`]),
      pricing.model !== 'cpm' && ['pricing', 'pricing/model'],
      line.pacing !== 'even' && ['pacing', 'pacing'],
      line.frequency_cap && ['frequency_cap', 'frequency_cap'],
      line.daily_cap_minor !== undefined && ['other', 'daily_cap_minor'],
      budget_minor < least_minor && ['budget_below_spend', 'budget_minor', { least_minor }],
    ];
    return wrong.filter(Boolean).map(([code, field, more]) => {
      const message = code === 'budget_below_spend' ? 'more is spent already' : 'this is not done here';
      return { code, pointer: `/lines/${i}/${field}`, message, package_id, ...more };
    });
  });
}

/** Makes the order what it is to be, from now on. One that ends before it was ever put is a tombstone: it gets no lines. */
function hold(row, order) {
  const now = Date.now();
  for (const spans of row.spans.values()) for (const span of spans) span.to = Math.min(span.to, now);
  row.order = row.order || order.state !== 'ended' ? order : { ...order, lines: [] };
  for (const { package_id, state, start, end, creatives, goal } of row.order.lines) {
    const spans = row.spans.get(package_id) ?? [];
    const left = (goal?.units ?? 0) - countAt(spans, now);
    const [from, to] = [Math.max(now, Date.parse(start)), Date.parse(end)];
    const runs = order.state === 'running' && state === 'running' && creatives.length > 0;
    if (runs && from < to && left > 0) spans.push({ from, to, perMs: left / (to - from) });
    row.spans.set(package_id, spans);
  }
}

/** Impressions by an instant. */
function countAt(spans = [], ms) {
  const sum = spans.reduce((total, { from, to, perMs }) => total + perMs * Math.max(0, Math.min(ms, to) - from), 0);
  return Math.floor(sum + 1e-6);
}

function read(media_buy_id) {
  const row = rowOf({ media_buy_id });
  if (!row.order) return { found: false };
  const { version, state } = row.order;
  const held = { found: true, version, state, native: nativeOf(row), lines: linesOf(row) };
  return { ...held, differences: [], as_of: instant(Date.now()) };
}

/** Ids of its own: here they follow from ours, so that what is put again finds what there is (P5). */
function nativeOf({ order: { media_buy_id, lines } }) {
  const idOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);
  const ids = lines.map(({ package_id }) => [package_id, idOf(`${media_buy_id} ${package_id}`)]);
  return { order: idOf(media_buy_id), lines: Object.fromEntries(ids), creatives: {} };
}

function linesOf({ order, spans }) {
  const now = Date.now();
  return order.lines.map(({ package_id, state, start, end, creatives, goal }) => {
    const impressions = countAt(spans.get(package_id), now);
    const isOver = now >= Date.parse(end) || impressions >= (goal?.units ?? Infinity);
    const waits = order.state === 'held' || creatives.length === 0 || now < Date.parse(start);
    const stops = ['ended', 'paused'].find((stop) => order.state === stop || state === stop);
    const line = {
      package_id,
      state: stops ?? (isOver ? 'completed' : waits ? 'ready' : 'delivering'),
      by_hand: false,
    };
    const missing = creatives.length === 0 ? ['creatives'] : [];
    return { ...line, missing, counts: { impressions, clicks: 0 }, as_of: instant(now) };
  });
}

/** Each whole hour that begins in [from, until), once; hours without anything are left out. */
function statements({ media_buy_ids, from, until }) {
  const completeMs = Math.min(Math.floor(Date.now() / HOUR_MS) * HOUR_MS, Date.parse(until));
  const rows = [];
  for (const media_buy_id of media_buy_ids) {
    for (const [package_id, spans] of rowOf({ media_buy_id }).spans) {
      const beganMs = Math.floor((spans[0]?.from ?? completeMs) / HOUR_MS) * HOUR_MS;
      const firstMs = Math.max(Math.ceil(Date.parse(from) / HOUR_MS) * HOUR_MS, beganMs);
      for (let ms = firstMs; ms + HOUR_MS <= completeMs; ms += HOUR_MS) {
        const impressions = countAt(spans, ms + HOUR_MS) - countAt(spans, ms);
        const row = { media_buy_id, package_id, hour: instant(ms), counts: { impressions, clicks: 0 } };
        if (impressions > 0) rows.push(row);
      }
    }
  }
  return { complete_until: instant(completeMs), rows };
}

const instant = (ms) => new Date(ms).toISOString();
const refusal = (status, code, message) => Object.assign(new Error(message), { status, code });

const PUT_STATUS = { done: 200, refused: 422, stale: 409 };
const ORDER = /^\/v1\/orders\/([^/]+)$/;
/** Each call: how it is asked, and the status and body of its answer. */
const CALLS = [
  ['GET', /^\/v1\/description$/, () => [200, DESCRIPTION]],
  ['GET', ORDER, (_body, id) => [200, read(id)]],
  ['PUT', ORDER, (body, id) => withStatus(put(orderIn(body, id)))],
  ['POST', /^\/v1\/orders\/([^/]+)\/check$/, (body, id) => [200, check(orderIn(body, id))]],
  ['POST', /^\/v1\/statements$/, (query) => [200, statements(query)]],
  ['PUT', /^\/v1\/creatives\/([^/]+)\/\d+$/, (_body, id) => [200, { verdict: 'approved', native_id: id }]],
];
const withStatus = (answer) => [PUT_STATUS[answer.outcome], answer];

function orderIn(body, id) {
  if (body?.media_buy_id === id && Number.isInteger(body.version) && Array.isArray(body.lines)) return body;
  throw refusal(400, 'invalid_request', 'the body is no order of the id in the path');
}

async function answerTo(request) {
  const sha256 = (text = '') => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(sha256(request.headers.authorization), sha256(`Bearer ${TOKEN}`)))
    throw refusal(401, 'unauthorized', 'send the token as Authorization: Bearer');
  const { pathname } = new URL(request.url, 'http://localhost');
  const call = CALLS.find(([method, path]) => method === request.method && path.test(pathname));
  if (call === undefined) throw refusal(404, 'not_found', 'there is nothing here');
  const text = (await request.setEncoding('utf8').toArray()).join('');
  const [, path, answer] = call;
  const [, segment = ''] = path.exec(pathname);
  try {
    return answer(text === '' ? undefined : JSON.parse(text), decodeURIComponent(segment).replace(/^~/, ''));
  } catch (error) {
    throw error instanceof SyntaxError ? refusal(400, 'invalid_request', 'the body is no JSON') : error;
  }
}

if (TOKEN.length < 16) throw new Error('set AD_SERVER_TOKEN to at least 16 characters, the same as the agent’s');
const server = createServer((request, response) => {
  const send = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const fail = ({ status = 500, code = 'internal_error', message }) => send(status, { error: { code, message } });
  answerTo(request).then((answer) => send(...answer), fail);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
