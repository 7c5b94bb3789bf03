import express from 'express';
import { listen } from '../src/main/process/listen.ts';
import { tellUse } from './watched.ts';

/**
 * The peer of the registry's benchmarks, a process of its own: Express with its own JSON, and nothing else. `/calls/NAME` parses what is sent
 * and writes, as JSON with an ETag, the object that it was given for that name: what the registry answered to the same call. `/echo` answers
 * the very bytes that were sent.
 */
const listening = await listen('127.0.0.1', 0);
const app = express();
const answers = new Map<string, unknown>();
app.use(express.json({ limit: 20_000_000, strict: false }));
app.put('/answers/:name', (request, response) => {
  answers.set(request.params.name, request.body);
  response.end();
});
app.use('/calls/:name', (request, response) => {
  response.json(answers.get(request.params.name));
});
app.post('/echo', express.raw({ limit: 4_000_000, type: () => true }), (request, response) => {
  response.type('application/json').send(request.body);
});
listening.answer(app);
console.log(JSON.stringify({ ready: true, base_url: listening.url, use_url: await tellUse(() => 0) }));
process.once('SIGTERM', () => void listening.stop().then(() => process.exit(0)));
