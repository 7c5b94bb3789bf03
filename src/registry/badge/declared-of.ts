import type { AgentDeclared } from '../../directory/agent/agent.ts';
import { isCountry } from '../../platform/country.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { callOverA2a } from '../probe/a2a-call.ts';
import type { Asking } from '../probe/ask.ts';
import type { Probed } from '../probe/probe.ts';

const TASK = 'get_adcp_capabilities';
/** What is kept of a list, and of the description in characters. */
const MOST_CHANNELS = 30;
const MOST_COUNTRIES = 60;
const MOST_DESCRIPTION = 1_000;

/** What an agent says of itself: by its card, and by its capabilities where it has that task and answers it without a credential. */
export async function declaredOf(asking: Asking, probed: Probed): Promise<Omit<AgentDeclared, 'is_verified'>> {
  const said = await capabilitiesOf(asking, probed);
  const mediaBuy = said.map((one) => one['media_buy']).find(isObject) ?? {};
  const portfolio = isObject(mediaBuy['portfolio']) ? mediaBuy['portfolio'] : {};
  const countries = textsOf(portfolio['primary_countries']).map((code) => code.toUpperCase());
  return {
    description: probed.description.slice(0, MOST_DESCRIPTION),
    channels: textsOf(portfolio['primary_channels'])
      .filter((channel) => channel.length <= 100)
      .slice(0, MOST_CHANNELS),
    countries: [...new Set(countries.filter(isCountry))].slice(0, MOST_COUNTRIES),
  };
}

async function capabilitiesOf(asking: Asking, { tools, mcp, a2a }: Probed): Promise<JsonObject[]> {
  if (!tools.some(({ name }) => name === TASK)) return [];
  if (mcp?.tools.some(({ name }) => name === TASK) === true) {
    const answered = await mcp.call(TASK, {});
    if (answered !== undefined) return [answered];
  }
  if (a2a?.rpc === undefined) return [];
  const answer = await callOverA2a(asking, a2a.rpc, TASK, {});
  return answer.kind === 'answer' && answer.message?.['id'] === answer.id ? answer.data : [];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.slice(0, 500).filter((one) => typeof one === 'string'))] : [];
}
