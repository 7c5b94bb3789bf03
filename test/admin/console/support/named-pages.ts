/** What the addresses of the console's pages name. Every page is looked at, so a story that shows them has one of each. */
export const PAGE_PARTS = [
  ...(['account_id', 'agent_id', 'approval_id', 'creative_id', 'delivery_id', 'destination', 'media_buy_id'] as const),
  ...([
    'organization_id',
    'person_id',
    'product_id',
    'property_id',
    'publisher_domain',
    'range_id',
    'task_id',
  ] as const),
] as const;

/** An example of each part, by its name. */
export type PageNames = Readonly<Record<(typeof PAGE_PARTS)[number], string>>;

/** The names in an address's pattern. */
export function partsOf(pattern: string): string[] {
  return [...pattern.matchAll(/:(\w+)/g)].map(([, part = '']) => part);
}

/** The address of a pattern. @throws when it names what no page of the console does. */
export function named(pattern: string, names: PageNames): string {
  const values: Readonly<Record<string, string>> = names;
  return partsOf(pattern).reduce((path, part) => {
    const value = values[part];
    if (value === undefined) throw new Error(`${pattern} names ${part}, which is none of PAGE_PARTS`);
    return path.replace(`:${part}`, encodeURIComponent(value));
  }, pattern);
}
