/**
 * Writes docs/limits.md: every limit of what comes in, from src/platform/intake/input-limits.ts. `--check` only says, by the exit
 * code, whether the file is fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { INPUT_LIMITS } from '../src/platform/intake/input-limits.ts';
import { projectRoot } from '../test/support/project-files.ts';

type InputLimit = keyof typeof INPUT_LIMITS;

export const LIMITS_FILE = join(projectRoot, 'docs', 'limits.md');

const HEAD = `# What comes in, and how much of it

Everything that is sent to the agent passes one gate before anything else reads it. These are its limits. They are no settings:
no honest caller comes near them. Written by \`npx tsx scripts/write-limits.ts\` from \`src/platform/intake/input-limits.ts\`.

A refusal names the limit and, where there is one, the place in the request: 413 for bytes, 400 (\`INVALID_REQUEST\`; in JSON-RPC
-32600) for shape, 429 or 503 for unfinished requests. A refusal tells at most ${INPUT_LIMITS.issues} problems, and that is decided before any of them is put
into words. \`npm run bench -- intake\` sends the worst of each limit and prints how long the server stood still for it.

| limit | is | of what |
| ----- | -- | ------- |
`;

const SHOWN = {
  headBytes: ['bytes', 'the head of a request: its line with the URL, and its headers'],
  a2aBodyBytes: ['bytes', 'a body to `/a2a`, after decompression, and a message over gRPC'],
  mcpBodyBytes: ['bytes', 'a body to `/mcp`, after decompression'],
  registryBodyBytes: ['bytes', 'a body to the registry and to `/api/buyer`, where nothing else is said here'],
  propertyCheckBodyBytes: ['bytes', 'a body to `/api/properties/check`'],
  bulkResolveBodyBytes: ['bytes', 'a body to `/api/properties/resolve/bulk`'],
  authorizationsBodyBytes: ['bytes', 'a body to `/api/registry/authorization`'],
  adagentsBodyBytes: ['bytes', 'a body to `/api/adagents/validate`, and of a file that is to be hosted'],
  billingEventBodyBytes: ['bytes', 'an event of the billing provider'],
  operatorBodyBytes: ['bytes', 'a body to `/api/operator`'],
  oauthBodyBytes: ['bytes', 'a body to the token, revocation and registration endpoints'],
  signInFormBytes: ['bytes', 'a form of the sign-in and consent pages'],
  consoleFormBytes: ['bytes', 'the form of a sign-in link into the console'],
  ringBodyBytes: ['bytes', 'what an ad server rings with'],
  depth: ['levels', 'arrays and objects within each other, in any JSON and over gRPC'],
  members: ['members', 'one object'],
  allMembers: ['members', 'all objects of a body together'],
  elements: ['elements', 'one array'],
  values: ['values', 'all arrays and objects of a body together'],
  adagentsMembers: ['members', 'the same, of a body that carries an adagents.json'],
  adagentsValues: ['values', 'the same, of a body that carries an adagents.json'],
  textBytes: ['bytes', 'one text to `/a2a` and `/mcp`, as it is written in JSON'],
  formFields: ['fields', 'a form'],
  contextBytes: ['bytes', 'the `context` of a skill’s input, as compact JSON'],
  metadataBytes: ['bytes', 'the metadata of an A2A request, its message and its parts together, as compact JSON'],
  messageParts: ['parts', 'an A2A message'],
  messageIdLength: ['characters', 'an id that an A2A client chooses'],
  unaddressedMessageBytes: ['bytes', 'an A2A message that names no skill'],
  domainLength: [
    'characters',
    'a domain in a report of a property check; what was longer is shown cut, with “…” behind it',
  ],
  domainInputLength: ['characters', 'what is read as a domain, such as a URL; what is longer is none'],
  blockedDomains: ['domains', 'what the registry blocks: `catalog/blocked-domains.json`, and all together'],
  publisherIdentifiers: [
    'identifiers',
    'those, besides domains, by which one publisher’s properties are found; the first of its file count',
  ],
  issues: ['problems', 'a refusal'],
  explainedValues: ['values', 'an input of which all problems are told; of a larger one the first is'],
  suggestions: ['problems', 'a refusal that are told what was probably meant'],
  requestMs: ['milliseconds', 'from the first byte of a request to its last; then the connection is closed'],
  keepAliveMs: [
    'milliseconds',
    'a kept connection without a request; then it is closed. Balancers and clients should close theirs earlier',
  ],
  unfinishedBytes: ['bytes', 'bodies that have begun and not ended, at one process'],
  unfinishedBytesOfUnknown: ['bytes', 'the same of requests whose caller is not known, or not yet'],
  protobufNumbers: [
    'numbers',
    'one message over gRPC: keys of fields, lengths, whole numbers; a member of an object has eight',
  ],
  grpcConnections: [
    'connections',
    'gRPC at one process; when all are taken, the oldest on which nobody is known makes room',
  ],
  grpcStreams: [
    'calls',
    'at a time on one gRPC connection; further ones wait at the client, or use another connection',
  ],
  grpcUnknownCalls: ['calls', 'gRPC calls at one process whose credential is being looked at'],
  grpcUnknownMs: ['milliseconds', 'a gRPC connection on which nobody has been known; then it is closed'],
  grpcIdleMs: ['milliseconds', 'a gRPC connection without a call; then it is closed'],
  grpcStreamMs: ['milliseconds', 'a gRPC stream; then it ends with `UNAVAILABLE`, and its client subscribes again'],
  grpcConnectionMs: ['milliseconds', 'a gRPC connection, a tenth more or less; then it takes no more calls'],
  grpcLastCallsMs: ['milliseconds', 'what is under way on such a connection; then it is closed'],
} as const satisfies Record<InputLimit, readonly [unit: string, of: string]>;

/** The text that the file should have. */
export async function limitsText(): Promise<string> {
  const rows = Object.entries(SHOWN).map(
    ([name, [unit, of]]) =>
      `| \`${name}\` | ${INPUT_LIMITS[name as InputLimit].toLocaleString('en-US')} ${unit} | ${of} |`,
  );
  return format(HEAD + rows.join('\n'), { ...(await resolveConfig(LIMITS_FILE)), parser: 'markdown' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = await limitsText();
  if (!process.argv.includes('--check')) await writeFile(LIMITS_FILE, text);
  else if (text !== (await readFile(LIMITS_FILE, 'utf8').catch(() => ''))) {
    console.error('docs/limits.md is stale: run npx tsx scripts/write-limits.ts');
    process.exitCode = 1;
  }
}
