import { AgentCard, Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import type { AgentExecutor } from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { listen } from '../src/main/process/listen.ts';

/** The named peer of the A2A benchmark, as a process of its own: the SDK's handler over its in-memory store. */
const listening = await listen('127.0.0.1', 0);
const card = AgentCard.fromJSON({
  name: 'stock',
  description: 'The stock handler.',
  version: '1.0.0',
  supportedInterfaces: [{ url: `${listening.url}/a2a/jsonrpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
});

/** Completes each task at once, in this process. */
const executor: AgentExecutor = {
  execute({ taskId, contextId, userMessage }, bus) {
    const status = (state: TaskState) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: status(TaskState.TASK_STATE_SUBMITTED),
        artifacts: [],
        history: [{ ...userMessage, role: Role.ROLE_USER }],
        metadata: undefined,
      }),
    );
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: status(TaskState.TASK_STATE_COMPLETED),
        metadata: undefined,
      }),
    );
    bus.finished();
    return Promise.resolve();
  },
  cancelTask: () => Promise.resolve(),
};

const app = express();
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
app.use('/a2a/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
listening.answer(app);
console.log(JSON.stringify({ ready: true, base_url: listening.url }));
process.once('SIGTERM', () => void listening.stop().then(() => process.exit(0)));
