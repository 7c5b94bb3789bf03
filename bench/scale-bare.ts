import express from 'express';
import { listen } from '../src/main/process/listen.ts';
import { tellUse } from './watched.ts';

/** The peer of the scale benchmark, a process of its own: Express that parses what is sent, and answers what it was given to answer. */
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
listening.answer(app);
console.log(JSON.stringify({ ready: true, base_url: listening.url, use_url: await tellUse(() => 0) }));
process.once('SIGTERM', () => void listening.stop().then(() => process.exit(0)));
