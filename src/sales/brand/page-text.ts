const MOST_TAGS = 400;
/** Of a page's head: names and properties of `meta` that tell what it is about. */
const TELLING = /^(description|keywords|og:(site_name|title|description)|twitter:(title|description))$/i;

/** What a page says it is about: its title and the describing `meta` of its head, each once. No markup is trusted or kept. */
export function pageText(html: string): string {
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1] ?? '';
  const metas = (html.match(/<meta\s[^>]{1,2000}>/gi) ?? []).slice(0, MOST_TAGS).map((tag) => {
    const name = attribute(tag, 'name') ?? attribute(tag, 'property') ?? '';
    return TELLING.test(name) ? (attribute(tag, 'content') ?? '') : '';
  });
  const texts = [title, ...metas].map((text) => decoded(text).replaceAll(/\s+/g, ' ').trim());
  return [...new Set(texts.filter((text) => text !== ''))].join('. ');
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag);
  return found?.[1] ?? found?.[2];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decoded(text: string): string {
  return text
    .replaceAll(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replaceAll(/&([a-z]{2,6});/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);
}
