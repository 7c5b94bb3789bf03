import assert from 'node:assert/strict';
import type { SimulatorCalls } from '../../../../src/adservers/simulator/controls.ts';
import { OrderInFullView } from '../../../../src/admin/operator/orders/order-view.ts';
import { eachAtOnce } from '../../../../src/platform/each-at-once.ts';
import { eventsOf, post, responseIn, taskOf } from '../buyer.ts';
import { AT_ONCE, toBe } from './campaigns.ts';
import type { Asked, AskedKind, Running } from './campaigns.ts';
import type { Installation } from './installation-processes.ts';
import type { VerifiedReceiver } from './verified-receiver.ts';

/**
 * In which order the ad server was told what, since its return: no order's version twice with other contents, none lower than one
 * that holds; and every pause before every cut, and the beginning of every cut before every raise and new order. Once its packages
 * stand still, a cut holds up nobody: how long the count takes is the ad server's.
 */
export function queueOfPuts({ calls, creates }: SimulatorCalls, running: Running, backAtMs: number) {
  const first: { kind: AskedKind; n: number; at: string; begins: boolean }[] = [];
  const held = new Map<string, number>();
  const seen = new Set<string>();
  const puts = calls.filter(({ method }) => method === 'put');
  for (const [n, { media_buy_id = '', version = 0, outcome, at }] of puts.entries()) {
    assert.ok(['done', 'stale'].includes(outcome), `version ${version} of ${media_buy_id} is ${outcome}`);
    if (outcome === 'done') {
      assert.ok(
        version >= (held.get(media_buy_id) ?? 0),
        `version ${version} of ${media_buy_id} holds after a higher one`,
      );
      held.set(media_buy_id, version);
    }
    const put = `${media_buy_id} ${version}`;
    if (seen.has(put)) continue;
    const begins = ![...seen].some((one) => one.startsWith(`${media_buy_id} `));
    first.push({ kind: kindOf(running, media_buy_id, seen), n, at, begins });
    seen.add(put);
  }
  const whichOf = (...kinds: AskedKind[]) => first.filter(({ kind }) => kinds.includes(kind)).map(({ n }) => n);
  const [pauses, cuts, rest] = [whichOf('pause'), whichOf('cut'), whichOf('raise', 'create')];
  const begun = first.filter(({ kind, begins }) => kind === 'cut' && begins).map(({ n }) => n);
  const order = first.map(({ kind, begins }) => `${kind}${begins ? '' : ' again'}`).join(', ');
  assert.ok(Math.max(...pauses) < Math.min(...cuts), `every pause is put before every cut: ${order}`);
  assert.ok(Math.max(...begun) < Math.min(...rest), `every cut begins before every raise and new order: ${order}`);
  const span = (numbers: number[]) => `${Math.min(...numbers) + 1} to ${Math.max(...numbers) + 1}`;
  return {
    'puts after its return': puts.length,
    'of a version put before': puts.length - first.length,
    'pauses, as put number': span(pauses),
    'cuts, as put number': span(cuts),
    'raises and new orders, as put number': span(rest),
    'from its return to the last pause or cut, s': (
      (Math.max(...first.filter(({ kind }) => kind === 'pause' || kind === 'cut').map(({ at }) => Date.parse(at))) -
        backAtMs) /
      1000
    ).toFixed(1),
    'native orders created': creates.orders,
    'native lines created': creates.lines,
  };
}

/** What a put of a version that was not put before is: of a buy that is paused, the pause comes first. */
function kindOf({ raises, cuts, pauses }: Running, media_buy_id: string, seen: ReadonlySet<string>): AskedKind {
  const isFirst = ![...seen].some((put) => put.startsWith(`${media_buy_id} `));
  if (pauses.includes(media_buy_id) && isFirst) return 'pause';
  if (cuts.includes(media_buy_id)) return 'cut';
  return raises.includes(media_buy_id) ? 'raise' : 'create';
}

/** Every task is completed, and every event of it has arrived: as often as it was sent, always the same bytes. */
export async function tellings(place: Installation, asked: readonly Asked[], receiver: VerifiedReceiver) {
  const created: string[] = [];
  let [events, copies, unasked] = [0, 0, 0];
  await eachAtOnce(asked, AT_ONCE, async ({ kind, task_id }) => {
    const task = await post(place, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task_id } });
    assert.equal(taskOf(task).state, 'TASK_STATE_COMPLETED');
    const response = responseIn(task);
    if (kind === 'create') created.push(String(response['media_buy_id']));
    const heard = eventsOf(receiver.received, task_id);
    const states = heard.map(({ body }) => body['status']);
    assert.deepEqual(states, [...states.slice(0, -1).map(() => 'working'), 'completed']);
    assert.deepEqual(heard.at(-1)?.body['result'], response, 'the webhook tells what the task answers');
    const { deliveries } = (await place.operate(`/webhooks/deliveries?task_id=${task_id}&limit=100`)) as {
      deliveries: { idempotency_key: string; state: string; attempts: { status: string }[] }[];
    };
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      heard.map(() => 'delivered'),
    );
    const keys = heard.map(({ body }) => String(body['idempotency_key']));
    assert.deepEqual(deliveries.map(({ idempotency_key }) => idempotency_key).sort(), keys.sort());
    assert.ok(
      heard.every(({ bytes }) => bytes.size === 1),
      'an event is the same bytes however often it comes',
    );
    events += heard.length;
    copies += heard.reduce((sum, one) => sum + one.copies - 1, 0);
    // On a busy machine an answer may come too late, and then it is sent again: that stands on record.
    const sent = new Map(deliveries.map((row) => [row.idempotency_key, row.attempts.map(({ status }) => status)]));
    for (const statuses of sent.values())
      assert.ok(!statuses.slice(0, -1).includes('success'), 'what has arrived is not sent again');
    unasked += heard.reduce((sum, one) => {
      const attempts = sent.get(String(one.body['idempotency_key']))?.length ?? 0;
      return sum + Math.max(0, one.copies - attempts);
    }, 0);
  });
  const figures = {
    'tasks completed': asked.length,
    'webhook events owed, each arrived and verified': events,
    'copies of an event, byte for byte': copies,
  };
  return { created, unasked, figures };
}

/** Every order stands at the ad server as it is to be: the version and contents that the agent says it holds, and no other. */
export async function ordersAfter(
  place: Installation,
  running: Running,
  asked: readonly Asked[],
  created: readonly string[],
) {
  const creates = asked.filter(({ kind }) => kind === 'create').length;
  assert.equal(new Set(created).size, creates, 'each create made a buy of its own');
  const { creates: native } = await place.adServer.calls();
  assert.deepEqual([native.orders, native.lines], [creates, creates], 'one native order and one line for each new buy');
  let versions = 0;
  await eachAtOnce([...running.all, ...created], AT_ONCE, async (media_buy_id) => {
    const shown = OrderInFullView.parse(await place.operate(`/orders/${media_buy_id}`));
    assert.deepEqual([shown.waiting, shown.open_change, shown.stop], [null, null, null]);
    const { order, held } = shown;
    assert.deepEqual([held?.version, held?.digest, held?.state], [order.version, order.digest, order.state]);
    const [line] = order.lines;
    assert.deepEqual({ state: order.state, budget_minor: line?.budget_minor }, toBe(running, media_buy_id));
    const there = await place.adServer.read(media_buy_id);
    assert.ok(there.found, `${media_buy_id} is at the ad server`);
    assert.deepEqual([there.version, there.state, there.differences], [order.version, order.state, []]);
    // An ad server takes a version it has only with the contents it has.
    assert.equal(await place.adServer.put(order), 200, `${media_buy_id} stands there as the agent says`);
    versions += order.version;
  });
  return { 'orders right at the ad server': running.all.length + created.length, 'versions given out': versions };
}
