import { AgentCard } from '@a2a-js/sdk';
import { Command } from 'commander';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Terminal } from '../operator-cli/session.ts';
import { facts, printable } from '../operator-cli/table.ts';
import { messageOf } from '../process/process.ts';
import { webUrlOf, fetchFrom } from './fetch-from.ts';
import type { FetchFrom } from './fetch-from.ts';
import { wrongWithSignatures } from './card-signatures.ts';
import { NotDone } from './not-done.ts';

const WELL_KNOWN = '/.well-known/agent-card.json';

/** `card check`: what is wrong with an agent's card, as a client sees it. */
export function cardCommands({ write }: Terminal): Command {
  const check = new Command('check')
    .description('Fetch an agent card, verify its signatures, and say what is wrong with it.')
    .argument('<url>', 'the agent, or its card')
    .option('--json', 'print the answer as one line of JSON')
    .action(async (given: string, { json }: { json?: true }) => {
      const named = webUrlOf('<url>', given);
      const url = named.endsWith('.json') ? named : named + WELL_KNOWN;
      const found = await checkCard(url, fetchFrom(url));
      const { name, version, skills, problems } = found;
      const head = facts([
        ['card', url],
        ['agent', [name, version].filter((text) => text !== '').join(' ')],
        ['skills', String(skills)],
        ['problems', problems.length === 0 ? 'none' : String(problems.length)],
      ]);
      const told = head + problems.map((problem) => `  ${printable(problem)}\n`).join('');
      write(json === true ? `${JSON.stringify({ url, ...found })}\n` : told);
      if (problems.length > 0) throw new NotDone();
    });
  return new Command('card').description('Agent cards.').addCommand(check);
}

interface CheckedCard {
  name: string;
  version: string;
  skills: number;
  problems: string[];
}

async function checkCard(url: string, from: FetchFrom): Promise<CheckedCard> {
  const response = await from.fetch(url, { headers: { 'a2a-version': '1.0' } });
  const document: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  const nothing = { name: '', version: '', skills: 0 };
  if (!response.ok) return { ...nothing, problems: [`it answers ${response.status}`] };
  if (typeof document !== 'object' || document === null) return { ...nothing, problems: ['it is no JSON object'] };
  let card;
  try {
    card = AgentCard.fromJSON(document);
  } catch (error) {
    return { ...nothing, problems: [`it is no card of A2A 1.0: ${messageOf(error)}`] };
  }
  const { name, version, skills } = card;
  const problems = [...wrongIn(card, url), ...(await wrongWithSignatures(card, document as JsonObject, url, from))];
  return { name, version, skills: skills.length, problems };
}

/** What a client would stumble over. */
function wrongIn(card: AgentCard, url: string): string[] {
  const texts = { name: card.name, description: card.description, version: card.version };
  const missing = Object.entries(texts).flatMap(([field, text]) => (text === '' ? [`${field} is missing`] : []));
  const ids = card.skills.map(({ id }) => id);
  const twice = new Set(ids.filter((id, i) => ids.indexOf(id) !== i));
  const { protocol, hostname } = new URL(url);
  const isHere = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  return [
    ...(protocol === 'https:' || isHere ? [] : ['it is served by http: whoever is on the way can change it']),
    ...missing,
    ...(card.supportedInterfaces.length === 0 ? ['supportedInterfaces is empty: nobody can call the agent'] : []),
    ...card.supportedInterfaces.flatMap(({ url: at, protocolBinding }, i) => {
      const where = `supportedInterfaces[${i}]`;
      if (protocolBinding === '') return [`${where} has no protocolBinding`];
      if (protocolBinding === 'GRPC' || URL.canParse(at)) return at === '' ? [`${where} has no url`] : [];
      return [`${where}.url is no absolute URL: ${at}`];
    }),
    ...(ids.length === 0 ? ['skills is empty'] : []),
    ...(ids.includes('') ? ['a skill has no id'] : []),
    ...[...twice].map((id) => `two skills have the id ${id}`),
  ];
}
