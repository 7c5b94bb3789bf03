import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { ADAGENTS_SHAPE } from '../../platform/intake/json-shape.ts';
import { endpoint } from '../endpoint.ts';
import { refuseBlocked } from '../refuse-blocked.ts';
import { lookAfterSave } from './look.ts';
import { KEPT_ELSEWHERE, ownPublisher } from './own-file.ts';
import { checkedFile, saveFile } from './save-file.ts';
import { PropertySaved, SaveProperty } from './schema.ts';
import { viewOfHosted } from './view.ts';

/**
 * Hosting under the path of the public registry (rules R15.hosted, R16.public): the same file, check and state as of our own. What the client
 * sends is made an adagents.json of, and takes the place of the one before.
 */
export const savePublicProperty = endpoint({
  id: 'saveProperty',
  method: 'post',
  path: '/api/properties/save',
  tag: 'Properties',
  summary: "Have a publisher's adagents.json hosted here, by the public registry's path",
  description:
    'For owners and admins of the organization that has proved the domain, and for its API keys. It counts once the origin of the domain names it; the message says what to serve there.',
  access: 'required',
  effect: 'write',
  limit: 'change_hosted_adagents',
  body: SaveProperty,
  bodyBytes: INPUT_LIMITS.adagentsBodyBytes,
  bodyShape: ADAGENTS_SHAPE,
  tooLarge: KEPT_ELSEWHERE,
  responses: { 200: { description: 'It is hosted, and what is left to do', schema: PropertySaved } },

  async handle({ body }, call) {
    const { publisher_domain } = body;
    await refuseBlocked(call, publisher_domain);
    const organization = await ownPublisher(call, publisher_domain);
    const file = fileOf(body);
    await checkedFile(file, { publisherDomain: publisher_domain, nowMs: call.clock.now() });
    const saved = await saveFile(call, organization, { publisher_domain, file, meant: undefined });
    if (saved.kind === 'stale') throw new Error('nothing was meant, and it is stale');
    await lookAfterSave(call, publisher_domain);
    const { status, place, revision_number } = await viewOfHosted(call, saved.row);
    const message =
      status === 'verified'
        ? 'saved; the origin names it, so it counts'
        : `saved; it counts for nobody until ${place.url} is ${JSON.stringify(place.file)}`;
    return { body: { success: true, message, id: publisher_domain, revision_number } };
  },
});

/** @throws {AppError} `VALIDATION_ERROR` for a property of which nobody could say what it is. */
function fileOf({ publisher_domain, authorized_agents, properties = [], contact }: SaveProperty): object {
  const list = properties.map(({ type, ...property }, i) => {
    const property_type = property['property_type'] ?? type;
    const given = property['identifiers'];
    if (given === undefined && property_type !== 'website')
      throw new AppError('VALIDATION_ERROR', `properties[${i}].identifiers: say what it is known by`, {
        field: `properties[${i}].identifiers`,
        suggestion: 'send a list such as [{"type":"ios_bundle","value":"com.example.app"}]',
      });
    const identifiers = given ?? [{ type: 'domain', value: publisher_domain }];
    return { ...property, property_type, identifiers };
  });
  return {
    ...(contact !== undefined && { contact }),
    ...(list.length > 0 && { properties: list }),
    // By this path a URL alone means all of the publisher's inventory; an entry of the file has to say so.
    authorized_agents: authorized_agents.map((agent) => ({
      authorized_for: 'Selling inventory of this publisher',
      ...agent,
    })),
  };
}
