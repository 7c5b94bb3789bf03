/**
 * How a message in plain words is understood (rule T7): by the words in it, in this order, and by nothing else. What speaks of
 * another task than `get_products` is never a brief; the rest is one when it names what media sell. English, as the catalog is.
 */

/** What a text asks for, as far as its words tell. */
export interface PlainText {
  /** The task that its words lead to. */
  likeliest: string;
  /** It reads like a wish to find inventory: `get_products` may answer it. */
  isBrief: boolean;
}

const THINGS = 'media buys?|buys?|campaigns?|orders?|packages?|line items?|flights?';

/** Words that speak of other tasks; the first that are found tell which. */
const OTHER_TASKS: readonly (readonly [words: RegExp, task: string])[] = [
  [/\b(upload|sync|submit|replace|assign|attach)\b.*\b(creatives?|banners?|assets?|videos?)\b/, 'sync_creatives'],
  [/\b(list|show|see|get|my|which|what)\b.*\bcreatives?\b/, 'list_creatives'],
  [/\b(list|show|get|which|what)\b.*\bformats?\b/, 'list_creative_formats'],
  [/\b(list|show|get|which|what)\b.*\b(properties|publishers|domains|sites)\b/, 'list_authorized_properties'],
  [
    /\b(cancel|pause|unpause|resume|stop|end|change|update|modify|increase|decrease|raise|lower|extend|shorten)\b/,
    'update_media_buy',
  ],
  [
    /\b(delivery|delivered|delivering|spent|pacing|metrics|statistics|stats|reports?|reporting)\b/,
    'get_media_buy_delivery',
  ],
  [/\bhow (is|are|did|does)\b/, 'get_media_buy_delivery'],
  [/\b(status|state|progress)\b.*\btasks?\b|\btasks?\b.*\b(status|state|progress|done|ready)\b/, 'get_task_status'],
  [/\b(list|show|see|my|all)\b.*\btasks\b/, 'list_tasks'],
  [
    new RegExp(
      `\\b(status|state)\\b|\\b(my|our|these|existing|running|current|list|show|see)\\b[^.]*\\b(${THINGS})\\b`,
    ),
    'get_media_buys',
  ],
  [new RegExp(`^(please )?(buy|book|purchase|order|reserve|create|make|place|set up)\\b`), 'create_media_buy'],
  [/\b(i|we|to|please|and) (buy|book|purchase|order|reserve)\b/, 'create_media_buy'],
  [/\b(what can you|capabilit(y|ies)|what do you do|who are you)\b/, 'get_agent_capabilities'],
];

/** What only speaks to somebody. */
const TALK =
  /^(hello|hi|hey|help|thanks?|thank you|ok|okay|yes|no|test|ping|good (morning|day|evening))\b[^a-z]*$|\bhow (do|can) (i|we)\b/;

/** Words of what media sell, to whom, and what for. */
const MEDIA = new RegExp(
  `\\b(${[
    'inventory|placements?|ad space|ads?|advert(s|ise|ising|isements?)?|media|impressions?|viewability|cpm|cpc|cpcv|reach(es|ing)?|awareness',
    'display|banners?|video|pre-?rolls?|ctv|connected tv|tv|streaming|audio|podcasts?|radio|native|newsletters?|dooh|ooh|out of home|mobile|in-app|social|search ads|homepages?|takeovers?|sponsorships?',
    'audiences?|readers?|listeners?|viewers?|shoppers?|enthusiasts?|fans|lovers|buyers|parents|professionals|users|people|demographics?',
    'promot(e|es|ing|ion)|launch(es|ing)?|campaigns?|brands?|branding|target(s|ed|ing)?|products?',
  ].join('|')})\\b`,
);

/** So much of a text is read, in characters: patterns take the square of it at worst. */
const MAX_READ = 1_000;

/** What a message of text alone asks for. Pure. @param tasks the names of all tasks. */
export function readPlainText(text: string, tasks: readonly string[]): PlainText {
  const words = text.slice(0, MAX_READ).toLowerCase().replaceAll(/\s+/g, ' ').trim();
  const named = tasks.find((name) => words.includes(name) || words.includes(name.replaceAll('_', ' ')));
  const other = named ?? OTHER_TASKS.find(([spoken]) => spoken.test(words))?.[1];
  if (other !== undefined) return { likeliest: other, isBrief: false };
  return { likeliest: 'get_products', isBrief: !TALK.test(words) && MEDIA.test(words) && words.includes(' ') };
}
