import { join } from 'node:path';
import { projectRoot } from '../support/project-files.ts';

/** A program that says of each of its steps what became of it, and what it must be installed with. */
export interface Program {
  /** Whose client it is, and of which version. */
  name: string;
  needs: Needs;
  /** What it is run with, after the interpreter or in place of it. */
  args: readonly string[];
  /** What it must say something of, by binding: a step that is not there has failed. */
  steps: Readonly<Record<string, readonly string[]>>;
  /** It speaks the public protocol: all that it is answered is held against the official schemas. */
  isJudged?: boolean;
}

export type Needs =
  | { toolchain: 'python'; oldest: readonly [number, number]; requirements: string; file: string }
  | { toolchain: 'go'; oldest: readonly [number, number]; module: string; package: string }
  | { toolchain: 'npm'; package: Runtime; version: string }
  /** A program of this project that runs others, with what npm must install for it in a folder of its own, `name@version` each. */
  | { toolchain: 'suite'; file: string; packages: readonly string[] };

/** Platforms that npm brings, other than Node. */
export type Runtime = 'deno' | 'bun' | 'workerd';

const HERE = join(projectRoot, 'test', 'clients');

const UNTIL_THE_END = ['subscribe', 'cancel', 'end of subscription'];
const REFUSALS = ['refusal', 'refused stream', 'unknown task', 'get_products with a push config for every request'];
const BUYS = ['extended card', 'get_products', 'plain text', 'buy, blocking', 'buy, streamed', 'buy, at once', 'get'];
const PUSH = ['create', 'get', 'list', 'delete'].map((what) => `push config: ${what}`);
const STORY = [...BUYS, 'list, two pages', ...PUSH, ...UNTIL_THE_END, ...REFUSALS];
/** 0.3 has no list of tasks. */
const STORY_0_3 = [...BUYS, ...PUSH, ...UNTIL_THE_END, ...REFUSALS];

/** What the client of the public protocol plays. */
const PUBLIC_STORY = [
  ...[
    'discover',
    'capabilities',
    'products',
    'accounts',
    'book',
    'read',
    'pause a package',
    'creatives',
    'delivery',
    'cancel',
  ],
  ...['refusal', 'wait for a person', 'webhook, verified', 'end of the wait, by a shared secret'],
];

/** The same in 3.2, which that client and the agent agree on by themselves. */
const PUBLIC_STORY_3_2 = [
  ...PUBLIC_STORY.filter((step) => step !== 'creatives'),
  ...['creatives by kind', 'control', 'list products', 'buy products'],
];

/** The scenarios of MCP's conformance kit that are of what this server is; `docs/interop.md` says of all others why not. */
const MCP_SCENARIOS = [
  ...['server-initialize', 'ping', 'tools-list', 'tools-call-simple-text', 'tools-call-error'],
  ...['tools-call-with-progress', 'json-schema-2020-12', 'dns-rebinding-protection'],
];

/** What the public SDK's fuzzer knows of the tasks that are served here. */
const FUZZED = [
  ...['get_products', 'list_creative_formats', 'list_creatives', 'get_media_buys', 'get_adcp_capabilities'],
  ...['get_media_buy_delivery', 'update_media_buy'],
];

/** One, so that it is installed once. */
const PUBLIC_CLIENT = python([3, 10], 'requirements-adcp.txt', 'story_adcp.py');

/** The test files of the Python receiver. */
const RECEIVER_TESTS = ['vectors', 'verify', 'modes', 'wire', 'answers', 'stores', 'keys', 'examples', 'size'];

const ALL_BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'];

/** The official clients, unmodified, each of a version that is pinned beside its program; and the receiver in Python and on other platforms. */
export const PROGRAMS: readonly Program[] = [
  {
    name: 'a2a-sdk 1.3.0 for Python',
    needs: python([3, 10], 'requirements-1.txt', 'story_1.py'),
    args: ALL_BINDINGS,
    steps: over(ALL_BINDINGS, ['card', 'card signature', ...STORY]),
  },
  {
    name: 'a2a-sdk 0.3.26 for Python',
    needs: python([3, 10], 'requirements-0.3.txt', 'story_0_3.py'),
    args: ALL_BINDINGS,
    steps: over(ALL_BINDINGS, ['card', ...STORY_0_3.filter((step) => !/: (list|delete)$/.test(step))]),
  },
  {
    name: 'a2a-go v2.3.1',
    needs: go('./story2'),
    args: ALL_BINDINGS,
    steps: over(ALL_BINDINGS, ['card', 'card, asked for as 0.3', 'endpoint by hand', ...STORY]),
  },
  {
    name: 'a2a-go v0.3.15',
    needs: go('./story03'),
    args: ['JSONRPC', 'GRPC'],
    steps: over(['JSONRPC', 'GRPC'], ['card', ...STORY_0_3]),
  },
  {
    name: 'media-buy-receiver for Python',
    needs: {
      toolchain: 'python',
      oldest: [3, 11],
      requirements: join(projectRoot, 'packages', 'receiver-python', 'tests', 'requirements.txt'),
      file: join(HERE, 'python', 'receive.py'),
    },
    args: [],
    steps: { tests: RECEIVER_TESTS, webhooks: ['mcp', 'a2a'] },
  },
  {
    name: 'examples/buyer/first_buy.py',
    needs: python([3, 10], 'requirements-1.txt', 'example.py'),
    args: [],
    steps: { JSONRPC: ['first buy'] },
  },
  {
    name: 'adcp 9.2.0 for Python',
    needs: PUBLIC_CLIENT,
    args: [],
    steps: over(['A2A', 'MCP'], PUBLIC_STORY_3_2),
    isJudged: true,
  },
  {
    name: 'adcp 9.2.0 for Python, in 3.1',
    needs: PUBLIC_CLIENT,
    args: ['3.1'],
    steps: over(['A2A', 'MCP'], PUBLIC_STORY),
    isJudged: true,
  },
  {
    name: '@modelcontextprotocol/conformance 0.1.16',
    // It calls what Node 20 has not.
    needs: suite('mcp-conformance.ts', ['@modelcontextprotocol/conformance@0.1.16', 'node@22.23.3']),
    args: MCP_SCENARIOS,
    steps: { MCP: MCP_SCENARIOS },
  },
  {
    name: '@adcp/sdk 6.11.0, its fuzzer',
    needs: suite('fuzz.ts', []),
    args: FUZZED,
    steps: over(['A2A', 'MCP'], [...FUZZED, 'uniform errors']),
  },
  receiverOn('deno', '2.9.6'),
  receiverOn('bun', '1.4.5'),
  receiverOn('workerd', '1.20261117.1'),
];

function receiverOn(runtime: Runtime, version: string): Program {
  return {
    name: `media-buy-receiver on ${runtime} ${version}`,
    needs: { toolchain: 'npm', package: runtime, version },
    args: [],
    steps: { vectors: ['requests', 'events'] },
  };
}

function over(bindings: readonly string[], steps: readonly string[]): Program['steps'] {
  return Object.fromEntries(bindings.map((binding) => [binding, steps]));
}

function python(oldest: readonly [number, number], requirements: string, file: string): Needs {
  const folder = join(HERE, 'python');
  return { toolchain: 'python', oldest, requirements: join(folder, requirements), file: join(folder, file) };
}

function suite(name: string, packages: readonly string[]): Needs {
  return { toolchain: 'suite', file: join(HERE, 'suites', name), packages };
}

/** The oldest Go is the module's own word. */
function go(name: string): Needs {
  return { toolchain: 'go', oldest: [1, 25], module: join(HERE, 'go'), package: name };
}
