import express from 'express';
import { listen } from '../src/main/process/listen.ts';

/** The peer of the registry's benchmark, a process of its own: Express handlers that parse and echo, and nothing more. */
const listening = await listen('127.0.0.1', 0);
const app = express();
app.post(
  ['/api/properties/check', '/api/properties/resolve/bulk'],
  express.json({ limit: 4_000_000 }),
  (request, response) => {
    response.json(request.body);
  },
);
app.get('/api/registry/operator', (request, response) => {
  response.json(request.query);
});
app.post('/echo', express.raw({ limit: 4_000_000, type: () => true }), (request, response) => {
  response.type('application/json').send(request.body);
});
listening.answer(app);
console.log(JSON.stringify({ ready: true, base_url: listening.url }));
process.once('SIGTERM', () => void listening.stop().then(() => process.exit(0)));
