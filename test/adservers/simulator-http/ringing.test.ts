import { describe, expect, it, onTestFinished } from 'vitest';
import { createRinger } from '../../../src/adservers/simulator-http/ringer.ts';
import { ringingSimulator } from '../../../src/adservers/simulator-http/ringing-simulator.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import { serveApp, silent, TOKEN } from '../http/support/bridge.ts';
import { openSimulator } from '../simulator/support/open-simulator.ts';
import { END, NOW, sampleAdOrder } from '../simulator/support/sample-ad-order.ts';

/** A simulator that rings, and what it has rung for. */
async function opened(clockSpeed = 1) {
  const at = await openSimulator('sqlite', { clockSpeed });
  onTestFinished(() => at.close());
  const rung: string[] = [];
  const ring = (media_buy_id: string) => Promise.resolve(void rung.push(media_buy_id));
  const ringing = ringingSimulator(at.simulator, { clockSpeed, ring });
  return { ...ringing, clock: at.clock, rung };
}

describe('a simulated ad server rings', () => {
  it('when a person acts there, and not for what it was told', async () => {
    const { simulator, rung } = await opened();
    const order = sampleAdOrder();
    await simulator.put(order);
    await simulator.read(order.media_buy_id);
    expect(rung).toEqual([]);
    await simulator.controls.take({ trafficker: { media_buy_id: order.media_buy_id, action: 'pause' } });
    expect(rung).toEqual([order.media_buy_id]);
  });

  it('once what was pending is decided', async () => {
    const { simulator, ringDue, rung } = await opened();
    await simulator.controls.take({ pending_for_s: 60 });
    const order = sampleAdOrder();
    expect(await simulator.put(order)).toMatchObject({ outcome: 'pending' });
    ringDue();
    expect(rung).toEqual([]);
    await simulator.controls.take({ advance_s: 60 });
    ringDue();
    ringDue();
    expect(rung).toEqual([order.media_buy_id]);
    expect(await simulator.read(order.media_buy_id)).toMatchObject({ found: true, version: 1 });
  });

  it('once an order’s flight is over, at the speed at which it plays, and not for one that was ended', async () => {
    const { simulator, ringDue, rung, clock } = await opened(60);
    const order = sampleAdOrder();
    await simulator.put(order);
    clock.nowMs = Date.parse(NOW) + (Date.parse(END) - Date.parse(NOW)) / 60 - 1;
    ringDue();
    expect(rung).toEqual([]);
    clock.nowMs += 1;
    ringDue();
    expect(rung).toEqual([order.media_buy_id]);
    await simulator.put(sampleAdOrder({ version: 2, state: 'ended' }));
    ringDue();
    expect(rung).toHaveLength(1);
  });
});

describe('a ring', () => {
  /** An agent that answers with these statuses in turn, 0 by hanging up; and a ringer that waits for nothing. */
  async function agentAnswering(...statuses: number[]) {
    const heard: { path: string | undefined; authorization: string | undefined; body: string }[] = [];
    const url = await serveApp((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const status = statuses[heard.length] ?? 202;
        heard.push({ path: request.url, authorization: request.headers.authorization, body });
        if (status === 0) request.socket.destroy();
        else response.writeHead(status).end('{}');
      });
    });
    const outbound = createOutbound({ allowLoopback: false, trustsUrls: true });
    onTestFinished(() => outbound.close());
    const ringer = createRinger({ url: `${url}/`, token: TOKEN, outbound, log: silent, retryAfterMs: [1, 1, 1] });
    return { ringer, heard };
  }

  it('carries the token and names the order alone', async () => {
    const { ringer, heard } = await agentAnswering();
    await ringer.ring('mb_1');
    expect(heard).toEqual([
      { path: '/ad-server/events', authorization: `Bearer ${TOKEN}`, body: '{"media_buy_id":"mb_1"}' },
    ]);
  });

  it('is tried again while the agent is away, and given up after four times', async () => {
    const later = await agentAnswering(503, 429, 0);
    await later.ringer.ring('mb_1');
    expect(later.heard).toHaveLength(4);
    const never = await agentAnswering(500, 500, 500, 500);
    await never.ringer.ring('mb_1');
    expect(never.heard).toHaveLength(4);
  });

  it('that is refused is not repeated', async () => {
    const { ringer, heard } = await agentAnswering(401);
    await ringer.ring('mb_1');
    expect(heard).toHaveLength(1);
  });

  it('that waits is given up when the ad server stops', async () => {
    const outbound = createOutbound({ allowLoopback: false, trustsUrls: true });
    onTestFinished(() => outbound.close());
    const away = { url: 'http://127.0.0.1:9', token: TOKEN, outbound, log: silent, retryAfterMs: [3_600_000] };
    const ringer = createRinger(away);
    const ringing = ringer.ring('mb_1');
    ringer.close();
    await ringing;
  });
});
