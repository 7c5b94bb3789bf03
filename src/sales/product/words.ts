import { stemmer } from 'stemmer';

/** A word of a text: what it is matched by, and how it was written. */
export interface Word {
  term: string;
  written: string;
}

/**
 * The words of a text that can tell products apart: lower case, without accents, reduced to their stems, other names for
 * one thing brought to one term. Left out are words any brief or product may hold, single letters and bare numbers.
 */
export function wordsOf(text: string): Word[] {
  const tokens = (text.match(TOKEN) ?? []).map((written) => ({ written, plain: plainOf(written) }));
  const words: Word[] = [];
  for (let i = 0; i < tokens.length;) {
    const phrase = phraseAt(tokens, i);
    if (phrase !== undefined) {
      words.push(phrase.word);
      i += phrase.length;
      continue;
    }
    const { written, plain } = tokens[i] ?? NO_TOKEN;
    if (tells(plain)) words.push({ term: termOf(plain), written });
    i += 1;
  }
  return words;
}

interface Token {
  written: string;
  plain: string;
}
const NO_TOKEN: Token = { written: '', plain: '' };

/** Letters and digits in a row; a size such as 300x250 and a length such as 30s are words too. */
const TOKEN = /[\p{L}\p{N}]+/gu;

/** Other names, a list each, for what is matched by the term before it. Phrases are at most four words long. */
const SAME = {
  ctv: [
    'connected tv',
    'connected television',
    'connected televisions',
    'connected tvs',
    'smart tv',
    'smart tvs',
    'streaming tv',
    'streaming television',
    'over the top',
    'ott',
    'tv',
    'television',
    'televisions',
  ],
  online_video: ['olv', 'online video'],
  preroll: ['pre roll', 'prerolls'],
  native: ['in feed', 'infeed'],
  sponsored_content: [
    'branded content',
    'sponsored article',
    'sponsored articles',
    'advertorial',
    'advertorials',
    'sponsored content',
  ],
  newsletter: ['newsletters', 'e mail', 'email', 'emails', 'e mails', 'mailing', 'mailings'],
  us: ['united states', 'united states of america', 'usa', 'america', 'american', 'americans'],
  gb: ['united kingdom', 'great britain', 'uk', 'britain', 'british', 'brits'],
  de: ['germany', 'german', 'germans', 'deutschland'],
  automobile: ['car', 'cars', 'auto', 'autos', 'automotive', 'automobiles', 'vehicle', 'vehicles'],
  ev: ['electric car', 'electric cars', 'electric vehicle', 'electric vehicles', 'evs'],
  b2b: ['business to business', 'decision makers', 'decision maker'],
  sport: ['sports', 'sporting'],
  soccer: ['football'],
  takeover: ['take over', 'homepage takeover', 'home page takeover', 'roadblock'],
  frontpage: ['front page', 'home page', 'homepage'],
  technology: ['tech', 'technologies'],
  food: ['foods', 'grocery', 'groceries'],
  cook: ['recipe', 'recipes', 'cooking', 'cooks'],
  rectangle: ['mpu'],
  guaranteed: ['guaranteed delivery'],
  auction: ['programmatic', 'bidding', 'bid', 'bids', 'rtb'],
  mobile: ['phone', 'phones', 'smartphone', 'smartphones', 'handset'],
  sec15: ['15 second', '15 seconds', '15 sec', '15s', '15sec'],
  sec30: ['30 second', '30 seconds', '30 sec', '30s', '30sec'],
  sec60: ['60 second', '60 seconds', '60 sec', '60s', '60sec'],
} as const satisfies Record<string, readonly string[]>;

const TERM_BY_PHRASE: ReadonlyMap<string, string> = new Map(
  Object.entries(SAME).flatMap(([term, names]) => names.map((name) => [name, term] as const)),
);

/** By a phrase's first word, how many words the longest phrase has that begins with it. */
const PHRASE_LENGTHS = new Map<string, number>();
for (const phrase of TERM_BY_PHRASE.keys()) {
  const [first = '', ...rest] = phrase.split(' ');
  PHRASE_LENGTHS.set(first, Math.max(PHRASE_LENGTHS.get(first) ?? 0, rest.length + 1));
}

/** Common words, and those that every brief and every product of this trade holds. */
const SILENT = new Set(
  `a about above across ad ads advertise advertiser advertisers advertising after all also always am an and any are as at
  be because been before being best between both brand brands budget but by campaign campaigns can client come could day de
  did do does during each every few find for from full get give go good great had has have help her here high his how i
  if in inside into is it its just large like look looking made make many may me media message money more most much must
  my need needs new no nor not now of off on one only or other our out over own people placement placements plan please
  product products promote put reach reaching run running same see sell should so some spend spot spots such take tell target
  targeting than that the their them then there these they thing this those through to too two under up upon us use used
  very want wants was way we week well were what when where which while who whom will with within work would year you your`.split(
    /\s+/,
  ),
);

/** In capitals these are a country or a trade; in small letters, a pronoun or an article. */
const CAPITALS = new Map([
  ['US', 'usa'],
  ['DE', 'germany'],
  ['AT', 'austria'],
  ['IT', 'technology'],
]);

function plainOf(written: string): string {
  const inCapitals = CAPITALS.get(written);
  if (inCapitals !== undefined) return inCapitals;
  const small = written.toLowerCase();
  return /^[a-z0-9]*$/.test(small) ? small : small.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
}

/** The longest phrase of {@link SAME} that begins here. */
function phraseAt(tokens: readonly Token[], start: number): { word: Word; length: number } | undefined {
  const longest = PHRASE_LENGTHS.get((tokens[start] ?? NO_TOKEN).plain) ?? 0;
  for (let length = Math.min(longest, tokens.length - start); length > 0; length--) {
    const part = tokens.slice(start, start + length);
    const term = TERM_BY_PHRASE.get(part.map(({ plain }) => plain).join(' '));
    if (term !== undefined) return { word: { term, written: part.map(({ written }) => written).join(' ') }, length };
  }
  return undefined;
}

function tells(plain: string): boolean {
  return plain.length > 1 && !/^\d+k?$/.test(plain) && !SILENT.has(plain);
}

function termOf(plain: string): string {
  return Object.hasOwn(SAME, plain) || plain === 'news' ? plain : stemmer(plain);
}
