"""FastAPI: `uvicorn fastapi_app:app`. The receiver waits and fetches, so it works in a thread of the pool."""

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool

from receiver import receiver

app = FastAPI()


@app.post('/webhooks')
async def webhooks(request: Request):
    body = b''
    async for chunk in request.stream():
        body += chunk
        if len(body) > 1_048_576:
            break
    query = request.scope['query_string'].decode()
    target = request.scope['raw_path'].decode() + (f'?{query}' if query else '')
    headers = [(name.decode('latin-1'), value.decode('latin-1')) for name, value in request.headers.raw]
    answer = await run_in_threadpool(receiver.handle, request.method, target, headers, lambda most: body[:most])
    print(answer.status, answer.outcome, answer.code or '', answer.reason, flush=True)
    return Response(answer.body, answer.status, dict(answer.headers))
