import { describe, expect, it } from 'vitest';
import {
  AGENT,
  APP,
  ask,
  claimsOf,
  entry,
  hostedClaims,
  NEWS,
  OTHER,
  property,
  PUBLISHER,
  WEB,
} from './support/publisher.ts';
import type { Ask } from './support/publisher.ts';
import type { Claims } from '../../../src/directory/authorization/judge.ts';

/**
 * A case: what is published, what is asked, and the answer, worked out by hand from the public schema of adagents.json: the code,
 * and behind a colon what limits a yes. The time asked about is 15 June 2026, noon, UTC, unless the case says another.
 */
type Case = [what: string, claims: (Claims | Promise<Claims>)[], ask: Ask, answer: string];

const own = (...entries: object[]) => [claimsOf({ authorized_agents: entries })];
const ids = (list: unknown, more = {}) => entry({ authorization_type: 'property_ids', property_ids: list, ...more });
const tags = (list: unknown, more = {}) => entry({ authorization_type: 'property_tags', property_tags: list, ...more });
const inline = (list: unknown) => entry({ authorization_type: 'inline_properties', properties: list });
const named = (list: unknown, more = {}) =>
  entry({ authorization_type: 'publisher_properties', publisher_properties: list, ...more });
const from = (effective_from: unknown, more = {}) => entry({ effective_from, ...more });
const until = (effective_until: unknown, more = {}) => entry({ effective_until, ...more });
const web: Ask = { property: 'web' };
const YES = 'authorized';

const TIME: Case[] = [
  ['no times: always', own(entry()), {}, YES],
  ['begun a second ago', own(from('2026-06-15T11:59:59Z')), {}, YES],
  ['begins at this instant', own(from('2026-06-15T12:00:00Z')), {}, YES],
  ['begins in a second', own(from('2026-06-15T12:00:01Z')), {}, 'not_yet_valid'],
  ['ends in a second', own(until('2026-06-15T12:00:01Z')), {}, YES],
  ['ends at this instant: over', own(until('2026-06-15T12:00:00Z')), {}, 'expired'],
  ['over since yesterday', own(until('2026-06-14T12:00:00Z')), {}, 'expired'],
  ['over, asked of a time before', own(until('2026-06-14T12:00:00Z')), { at: '2026-06-01T00:00:00Z' }, YES],
  ['to begin, asked of a time after', own(from('2026-07-01T00:00:00Z')), { at: '2026-07-02T00:00:00Z' }, YES],
  ['an offset: 13:00+02:00 is 11:00 UTC, over', own(until('2026-06-15T13:00:00+02:00')), {}, 'expired'],
  ['no offset: UTC', own(until('2026-06-15T12:00:01')), {}, YES],
  ['a day is its beginning: 15 June ends before noon', own(until('2026-06-15')), {}, 'expired'],
  [
    'from after until: never',
    own(from('2026-06-16T00:00:00Z', { effective_until: '2026-06-14T00:00:00Z' })),
    {},
    'expired',
  ],
  ['a time that is none covers nothing', own(until('next year')), {}, 'entry_unclear'],
  ['a day that its month does not have is none', own(until('2999-02-30')), {}, 'entry_unclear'],
  ['a number is no time', own(from(1_781_000_000)), {}, 'entry_unclear'],
  ['null is no time limit', own(until(null, { effective_from: null })), {}, YES],
  ['valid_until of older files ends it too', own(entry({ valid_until: '2026-06-14T00:00:00Z' })), {}, 'expired'],
  ['one entry over, another live', own(until('2026-06-14T00:00:00Z'), entry({ authorized_for: 'video' })), {}, YES],
];

const SCOPE: Case[] = [
  ['no type, but says what for: everything', own(entry()), web, YES],
  [
    'everything: its own domain, though undeclared',
    [claimsOf({ authorized_agents: [entry()], properties: [] })],
    { property: PUBLISHER },
    YES,
  ],
  ['everything: a host below its domain', own(entry()), { property: 'blog.pub.example' }, YES],
  ['everything, but an app it does not declare', own(entry()), { property: 'com.else.app' }, 'property_unknown'],
  ['by id, that id', own(ids(['web'])), web, YES],
  ['by id, another', own(ids(['app'])), web, 'property_not_covered'],
  ['by id, asked by its domain', own(ids(['web'])), { property: 'pub.example' }, YES],
  ['by id, asked by www. of its domain', own(ids(['web'])), { property: 'www.pub.example' }, YES],
  ['by id, asked by the app bundle', own(ids(['app'])), { property: 'com.pub.app' }, YES],
  [
    'by id, a host below is another property',
    own(ids(['web'])),
    { property: 'news.pub.example' },
    'property_not_covered',
  ],
  ['by id, a host below that nobody declares', own(ids(['web'])), { property: 'x.pub.example' }, 'property_unknown'],
  ['by id, of anything: in part', own(ids(['web'])), {}, 'authorized_in_part:properties'],
  ['by an id that the file does not have', own(ids(['tv'])), { property: 'tv' }, 'property_unknown'],
  ['by an id that the file does not have, of anything', own(ids(['tv'])), {}, 'property_unknown'],
  ['by no ids', own(ids([])), web, 'entry_unclear'],
  ['by ids that are no list', own(ids('web')), web, 'entry_unclear'],
  ['by tag, a property with it', own(tags(['premium'])), web, YES],
  ['by tag, a property without it', own(tags(['premium'])), { property: 'news' }, 'property_not_covered'],
  ['by one of several tags', own(tags(['video', 'app'])), { property: 'app' }, YES],
  ['by a tag nobody has', own(tags(['video'])), {}, 'property_unknown'],
  ['inline, that app', own(inline([APP])), { property: 'com.pub.app' }, YES],
  ['inline, another', own(inline([APP])), web, 'property_not_covered'],
  [
    'inline, one that the file does not list besides',
    own(inline([property('tv', 'roku_channel', '77', [])])),
    { property: '77' },
    YES,
  ],
  [
    'inline, of somebody else',
    own(inline([property('x', 'domain', 'x.example', [], { publisher_domain: 'else.example' })])),
    {},
    'property_unknown',
  ],
  ['inline without properties', own(inline([])), web, 'entry_unclear'],
  [
    'a wildcard: a host below',
    [claimsOf({ authorized_agents: [ids(['w'])], properties: [property('w', 'domain', '*.pub.example', [])] })],
    { property: 'a.b.pub.example' },
    YES,
  ],
  [
    'a wildcard: not itself',
    [claimsOf({ authorized_agents: [ids(['w'])], properties: [property('w', 'domain', '*.pub.example', [])] })],
    { property: 'pub.example' },
    'property_unknown',
  ],
  [
    'two properties of one host, one of them covered',
    [
      claimsOf({
        authorized_agents: [ids(['de'])],
        properties: [property('de', 'domain', 'pub.example', []), property('en', 'domain', 'pub.example', [])],
      }),
    ],
    { property: 'pub.example' },
    'authorized_in_part:properties',
  ],
  [
    'a property without id, by tag',
    [
      claimsOf({
        authorized_agents: [tags(['site'])],
        properties: [property(undefined, 'domain', 'pub.example', ['site'])],
      }),
    ],
    { property: 'pub.example' },
    YES,
  ],
  ['no type, one scope: that', own(entry({ property_ids: ['app'] })), web, 'property_not_covered'],
  [
    'no type, two scopes: unclear',
    own(entry({ property_ids: ['web'], property_tags: ['site'] })),
    web,
    'entry_unclear',
  ],
  ['a type decides over other members', own(ids(['app'], { property_tags: ['site'] })), web, 'property_not_covered'],
  ['a type that nobody knows', own(entry({ authorization_type: 'everything' })), web, 'entry_unclear'],
  ['says neither what for nor what of', own({ url: AGENT }), {}, 'entry_unclear'],
  ['does not say what for, but what of', own({ ...ids(['web']), authorized_for: undefined }), web, YES],
  ['placements: in part', own(ids(['web'], { placement_ids: ['top'] })), web, 'authorized_in_part:placement_ids'],
  ['collections: in part', own(ids(['web'], { collections: [{}] })), web, 'authorized_in_part:collections'],
  [
    'signals by id authorize no inventory',
    own(entry({ authorization_type: 'signal_ids', signal_ids: ['s'] })),
    {},
    'signals_only',
  ],
  [
    'signals by tag neither',
    own(entry({ authorization_type: 'signal_tags', signal_tags: ['s'] })),
    web,
    'signals_only',
  ],
  ['signals without a type neither', own(entry({ signal_ids: ['s'] })), {}, 'signals_only'],
  ['signals, and inventory in another entry', own(entry({ signal_ids: ['s'] }), ids(['web'])), web, YES],
];

const COUNTRIES: Case[] = [
  ['that country', own(entry({ countries: ['US', 'CA'] })), { country: 'CA' }, YES],
  ['another', own(entry({ countries: ['US', 'CA'] })), { country: 'DE' }, 'country_not_covered'],
  ['none asked: in part', own(entry({ countries: ['US'] })), {}, 'authorized_in_part:countries'],
  ['none named: everywhere', own(entry()), { country: 'DE' }, YES],
  ['an empty list: nowhere', own(entry({ countries: [] })), {}, 'country_not_covered'],
  ['no list: nowhere', own(entry({ countries: 'US' })), { country: 'US' }, 'country_not_covered'],
  ['lower case is understood', own(entry({ countries: ['us'] })), { country: 'US' }, YES],
  [
    'two entries, each its country',
    own(ids(['web'], { countries: ['US'] }), ids(['web'], { countries: ['DE'] })),
    { ...web, country: 'DE' },
    YES,
  ],
  [
    'the right country of the wrong property',
    own(ids(['web'], { countries: ['US'] }), ids(['app'], { countries: ['DE'] })),
    { ...web, country: 'DE' },
    'country_not_covered',
  ],
];

const REVOKED: Case[] = [
  ['an entry that says so', own(entry({ revoked: true })), {}, 'revoked'],
  ['since a time past', own(entry({ revoked_at: '2026-06-01T00:00:00Z' })), {}, 'revoked'],
  ['from a time to come', own(entry({ revoked_at: '2026-07-01T00:00:00Z' })), {}, YES],
  ['at a time that is none', own(entry({ revoked_at: 'soon' })), {}, 'revoked'],
  ['one entry, not the other', own(ids(['web'], { revoked: true }), ids(['app'])), { property: 'app' }, YES],
  ['not listed at all', own(entry({}, OTHER)), {}, 'agent_not_listed'],
  [
    'the publisher by its file',
    [
      claimsOf({
        authorized_agents: [entry()],
        revoked_publisher_domains: [{ publisher_domain: PUBLISHER, revoked_at: '2026-06-01T00:00:00Z' }],
      }),
    ],
    {},
    'publisher_revoked',
  ],
  [
    'another publisher by its file',
    [claimsOf({ authorized_agents: [entry()], revoked_publisher_domains: [{ publisher_domain: 'else.example' }] })],
    {},
    YES,
  ],
  ['hosted by the operator goes before', [{ ...hostedClaims(), revoked: [PUBLISHER] }], {}, YES],
  [
    'hosted goes before a file that limits',
    [
      {
        ...(await claimsOf({ authorized_agents: [ids(['app'])] })),
        rows: [...hostedClaims().rows, ...((await own(ids(['app']))[0])?.rows ?? [])],
      },
    ],
    web,
    YES,
  ],
];

const alone = (more = {}) => entry({ exclusive: true, ...more }, OTHER);
const EXCLUSIVE: Case[] = [
  ['the one that has it alone', own(entry({ exclusive: true }), entry({}, OTHER)), {}, YES],
  ['beside one that has it alone', own(entry(), alone()), {}, 'exclusive_to_another'],
  ['beside one that has another property alone', own(entry(), alone({ property_ids: ['app'] })), web, YES],
  [
    'beside one that has this property alone',
    own(entry(), alone({ property_ids: ['web'] })),
    web,
    'exclusive_to_another',
  ],
  ['beside one that has it alone elsewhere', own(entry(), alone({ countries: ['US'] })), { country: 'DE' }, YES],
  [
    'beside one that has it alone there',
    own(entry(), alone({ countries: ['US'] })),
    { country: 'US' },
    'exclusive_to_another',
  ],
  [
    'beside one that has it alone in a country, anywhere asked',
    own(entry(), alone({ countries: ['US'] })),
    {},
    'authorized_in_part:exclusive',
  ],
  ['beside one whose time alone is over', own(entry(), alone({ effective_until: '2026-06-01T00:00:00Z' })), {}, YES],
  ['beside one that was revoked', own(entry(), alone({ revoked: true })), {}, YES],
  [
    'beside one that has a placement alone',
    own(entry(), alone({ placement_ids: ['top'] })),
    {},
    'authorized_in_part:exclusive',
  ],
  ['beside one that has signals alone', own(entry(), alone({ signal_ids: ['s'] })), {}, YES],
  ['both say alone: both stand', own(entry({ exclusive: true }), alone()), {}, YES],
  ['both are its own', own(entry({ exclusive: true, authorized_for: 'video' }), entry()), {}, YES],
  ['"yes" is not true', own(entry(), entry({ exclusive: 'yes' }, OTHER)), {}, YES],
];

const manager = (entries: object[], more: object = {}) =>
  claimsOf({ authorized_agents: entries, properties: [], ...more }, 'manager.example');
const mine = { publisher_domain: PUBLISHER };
const MANAGERS: Case[] = [
  [
    'names the publisher, all of it',
    [manager([named([{ ...mine, selection_type: 'all' }])])],
    { property: PUBLISHER },
    YES,
  ],
  [
    'names others alone',
    [manager([named([{ publisher_domain: 'else.example', selection_type: 'all' }])])],
    {},
    'property_not_covered',
  ],
  [
    'names many at once',
    [manager([named([{ publisher_domains: ['else.example', PUBLISHER], selection_type: 'all' }])])],
    {},
    YES,
  ],
  [
    'names it both ways: nothing',
    [manager([named([{ ...mine, publisher_domains: [PUBLISHER], selection_type: 'all' }])])],
    {},
    'entry_unclear',
  ],
  [
    'ids for many at once: nothing',
    [manager([named([{ publisher_domains: [PUBLISHER], selection_type: 'by_id', property_ids: ['web'] }])])],
    {},
    'entry_unclear',
  ],
  ['everything, without naming it', [manager([entry()])], {}, 'property_not_covered'],
  [
    "by tag of properties that are the publisher's",
    [manager([tags(['site'])], { properties: [{ ...WEB, ...mine }] })],
    web,
    YES,
  ],
  ['by tag of its own properties', [manager([tags(['site'])], { properties: [WEB] })], web, 'property_unknown'],
  [
    "by tag of somebody else's",
    [manager([tags(['site'])], { properties: [{ ...WEB, publisher_domain: 'else.example' }] })],
    web,
    'property_unknown',
  ],
  [
    'names a tag of it',
    [
      manager([named([{ ...mine, selection_type: 'by_tag', property_tags: ['app'] }])], {
        properties: [
          { ...APP, ...mine },
          { ...NEWS, ...mine },
        ],
      }),
    ],
    { property: 'news' },
    'property_not_covered',
  ],
  [
    'names it, and takes it back',
    [manager([named([{ ...mine, selection_type: 'all' }])], { revoked_publisher_domains: [mine] })],
    {},
    'publisher_revoked',
  ],
  [
    'names it until yesterday',
    [manager([named([{ ...mine, selection_type: 'all' }], { effective_until: '2026-06-14T00:00:00Z' })])],
    {},
    'expired',
  ],
  ['its own file names itself', own(named([{ ...mine, selection_type: 'by_id', property_ids: ['web'] }])), web, YES],
  [
    'its own file names another',
    own(named([{ publisher_domain: 'else.example', selection_type: 'all' }])),
    {},
    'property_not_covered',
  ],
  [
    'a shared file: everything it lists of others is not its own',
    [claimsOf({ authorized_agents: [ids(['web'])], properties: [{ ...WEB, publisher_domain: 'else.example' }] })],
    web,
    'property_unknown',
  ],
  ['www. of it is it', [manager([named([{ publisher_domain: 'WWW.Pub.example', selection_type: 'all' }])])], {}, YES],
];

describe.each([
  ['time', TIME],
  ['scope', SCOPE],
  ['countries', COUNTRIES],
  ['revocation', REVOKED],
  ['exclusive', EXCLUSIVE],
  ['managers', MANAGERS],
])('what an adagents.json means: %s', (_, cases) => {
  it.each(cases)('[R15.scope] %s', async (_what, claims, question, answer) => {
    const { authorized, code, limited_by, live } = ask(
      question,
      await Promise.all(claims.map((said) => Promise.resolve(said))),
    );
    expect([code, ...limited_by].join(':')).toBe(answer);
    expect(authorized).toBe(answer.startsWith(YES));
    expect(live.length > 0).toBe(authorized);
  });
});

it('[R15.scope] has at least 60 cases', () => {
  expect([...TIME, ...SCOPE, ...COUNTRIES, ...REVOKED, ...EXCLUSIVE, ...MANAGERS].length).toBeGreaterThanOrEqual(60);
});
