import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { listen } from '../../../src/main/process/listen.ts';

it('[S1] a request that does not come to its end is cut off, and a stream that has begun is not', async () => {
  const listening = await listen('127.0.0.1', 0, { requestMs: 200 });
  const port = Number(new URL(listening.url).port);
  let endStream = (): unknown => undefined;
  listening.answer((request, response) => {
    if (request.method !== 'GET') {
      request.resume();
      return;
    }
    response.write('begun\n');
    endStream = () => response.end('ended\n');
  });
  try {
    const stream = connect(port, '127.0.0.1').setEncoding('utf8');
    stream.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let streamed = '';
    stream.on('data', (text: string) => (streamed += text));
    await once(stream, 'data');

    for (const half of ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"a":', 'POST / HTTP/1.1\r\nHost:']) {
      const slow = connect(port, '127.0.0.1').setEncoding('utf8');
      slow.write(half);
      let answered = '';
      slow.on('data', (text: string) => (answered += text));
      await once(slow, 'close');
      expect(answered).toMatch(/^HTTP\/1\.1 408 /);
    }

    expect(streamed).not.toContain('ended');
    endStream();
    await once(stream, 'close');
    expect(streamed).toContain('ended');
  } finally {
    await listening.stop();
  }
});
