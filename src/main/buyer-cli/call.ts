import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageRequest, TaskState } from '@a2a-js/sdk';
import type { Message, Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import type { Client } from '@a2a-js/sdk/client';
import { Command } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { readConfig } from '../config/config.ts';
import type { Terminal } from '../operator-cli/session.ts';
import { printable, printableJson } from '../operator-cli/table.ts';
import { readRunning } from '../process/running-file.ts';
import { webUrlOf, fetchFrom } from './fetch-from.ts';
import { readJsonFile } from './given-files.ts';
import { NotDone } from './not-done.ts';

interface Options {
  to?: string;
  input?: string;
  follow?: true;
  tokenEnv?: string;
  key?: string;
  json?: true;
}

/** How often a task is looked at that is followed, in milliseconds. */
const LOOK_MS = 1_000;

const DONE = 'completed';
const FINAL: readonly string[] = [DONE, 'failed', 'canceled', 'rejected'];

/** `call`: one skill of any A2A agent, by the official client, as a buyer's agent would. */
export function callCommand({ env, write, writeError }: Terminal): Command {
  return new Command('call')
    .description('Call a skill of an agent over A2A, as a buyer does, and print its response.')
    .argument('<skill>')
    .option('--to <url>', 'the agent, whose card says how it is called; default: the one that runs on DATA_DIR')
    .option('--input <file>', 'the input, as JSON; default: {}')
    .option('--follow', 'print progress on standard error until the task has ended')
    .option('--token-env <name>', 'the variable with the API key or access token')
    .option('--key <key>', 'the API key itself, which others on this machine may see in the list of processes')
    .option('--json', 'print the answer as one line of JSON')
    .action(async (skill: string, options: Options) => {
      const to = options.to === undefined ? await agentHere(env, writeError) : webUrlOf('--to', options.to);
      const input = options.input === undefined ? {} : await readJsonFile('--input', options.input);
      const from = fetchFrom(to, tokenOf(options, env));
      try {
        const client = await clientOf(to, from.fetch);
        const first = await client.sendMessage(messageOf(skill, input));
        const answer = 'status' in first && options.follow === true ? await follow(client, first, writeError) : first;
        const told = toldOf(answer);
        write(options.json === true ? `${JSON.stringify(told)}\n` : shown(told));
        if (FINAL.includes(told.state) && told.state !== DONE) throw new NotDone();
      } catch (error) {
        throw from.away() ?? error;
      }
    });
}

/** The agent that runs on this machine's settings, which is said. @throws {ConfigError} where none does. */
async function agentHere(env: NodeJS.ProcessEnv, tell: (text: string) => void): Promise<string> {
  const { dataDir } = readConfig(env, { allowLoopback: true });
  const running = await readRunning(dataDir);
  if (running === undefined) throw new ConfigError([`no agent runs on ${dataDir}; start one, or name it with --to`]);
  tell(`calling ${printable(running.base_url)}, the agent that runs on ${printable(dataDir)}\n`);
  return running.base_url;
}

function tokenOf({ tokenEnv, key }: Options, env: NodeJS.ProcessEnv): string | undefined {
  if (tokenEnv !== undefined && key !== undefined) throw new ConfigError(['only one of --token-env and --key']);
  if (tokenEnv === undefined) return key;
  const token = env[tokenEnv];
  if (token === undefined || token === '') throw new ConfigError([`--token-env: ${tokenEnv} is not set`]);
  return token;
}

function clientOf(to: string, fetchImpl: typeof fetch): Promise<Client> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- their options are declared classes
  const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })];
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl });
  return new ClientFactory({ transports, cardResolver }).createFromUrl(to);
}

function messageOf(skill: string, input: unknown): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] },
    configuration: { returnImmediately: true },
  });
}

/** Looks until it has ended, and tells each change of state or words once. */
async function follow(client: Client, first: Task, tell: (text: string) => void): Promise<Task> {
  let task = first;
  let last = '';
  for (;;) {
    const { task_id, state, message } = toldOf(task);
    const line = [task_id, state, message].filter((text) => text !== undefined).join('  ');
    if (line !== last) tell(`${printable(line)}\n`);
    last = line;
    if (FINAL.includes(state)) return task;
    await delay(LOOK_MS);
    task = await client.getTask({ tenant: '', id: task.id });
  }
}

interface Told {
  task_id?: string;
  state: string;
  message?: string;
  response?: unknown;
}

function toldOf(answer: Message | Task): Told {
  if (!('status' in answer)) return { state: DONE, ...saying(answer), ...responding(answer.parts) };
  const { id, status, artifacts } = answer;
  const state = TaskState[status?.state ?? TaskState.TASK_STATE_UNSPECIFIED];
  return {
    task_id: id,
    state: state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-'),
    ...saying(status?.message),
    ...responding(artifacts[0]?.parts ?? status?.message?.parts ?? []),
  };
}

function saying(message: Message | undefined): Pick<Told, 'message'> {
  const texts = message?.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])) ?? [];
  return texts.length === 0 ? {} : { message: texts.join(' ') };
}

/** The last data among the parts (rule C.events.5). */
function responding(parts: Message['parts']): Pick<Told, 'response'> {
  const content = parts.findLast(({ content }) => content?.$case === 'data')?.content;
  return content === undefined ? {} : { response: content.value };
}

function shown({ task_id, state, message, response }: Told): string {
  const head = [task_id, state, message].filter((text) => text !== undefined).join('  ');
  return `${printable(head)}\n${response === undefined ? '' : `${printableJson(response)}\n`}`;
}
