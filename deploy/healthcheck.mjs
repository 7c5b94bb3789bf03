// Whether the process in this container is well: exit status 0 if it is. A server is asked for /readyz; a worker, by an argument, for
// what else it shows, as in `node deploy/healthcheck.mjs http://127.0.0.1:9464/healthz`.
const [url = `http://127.0.0.1:${process.env.PORT || 8080}/readyz`] = process.argv.slice(2);

try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(4_000), redirect: 'error' });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
