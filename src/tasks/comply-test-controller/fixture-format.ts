import type { Catalog } from '../../sales/catalog.ts';
import { formatKey, FormatType } from '../../sales/format/format.ts';
import type { Format, FormatId } from '../../sales/format/format.ts';
import { ControllerRefusal } from './refusal.ts';

/** What a fixture says of a format; all else is as in the one of the catalog that is most like it. */
export interface FormatFixture {
  name?: string | undefined;
  type?: string | undefined;
}

/** The format of an id at this agent's, or one made after the catalog's most like it, by the beginning of its id or its type. Pure. */
export function fixtureFormat({ formats }: Catalog, format_id: FormatId, { name, type }: FormatFixture = {}): Format {
  const known = formats.get(formatKey(format_id));
  if (known !== undefined && name === undefined && type === undefined) return known;
  const kind = FormatType.safeParse(type ?? format_id.id.split('_')[0]).data ?? 'display';
  const all = [...formats.values()];
  const like =
    known ??
    all.find((one) => one.format_id.id.startsWith(format_id.id) && one.type === kind) ??
    all.find((one) => one.type === kind);
  if (like === undefined)
    throw new ControllerRefusal('INVALID_PARAMS', `params.fixture.type: no format is ${kind} here`);
  return { ...like, format_id, name: name ?? `Fixture ${format_id.id}` };
}

/** A format's id in full: at the agent that the catalog's own are at, unless it names another. @throws {ControllerRefusal} */
export function fixtureFormatId(
  { formats }: Catalog,
  { id, agent_url }: { id: string; agent_url?: string | undefined },
): FormatId {
  const [first] = formats.values();
  const at = agent_url ?? first?.format_id.agent_url;
  if (at === undefined) throw new ControllerRefusal('INVALID_STATE', 'the catalog has no format to make others after');
  return { agent_url: at, id };
}
