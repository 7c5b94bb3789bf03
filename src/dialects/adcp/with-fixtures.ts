import type { Catalog } from '../../sales/catalog.ts';
import type { Fixtures } from '../../sales/fixture/fixtures.ts';
import type { TranslatorSources } from './sources.ts';
import type { Translating, Translator } from './translator.ts';

/** A translator as it is for each caller: of an organization with fixtures, it knows the catalog with those over it. */
export function translatorWithFixtures(
  make: (sources: TranslatorSources) => Translator,
  sources: TranslatorSources,
  fixtures: Fixtures,
): Translator {
  const base = make(sources);
  const made = new WeakMap<Catalog, Translator>([[sources.catalog, base]]);
  async function translatorOf({ caller }: Translating): Promise<Translator> {
    const catalog = await fixtures.catalogOf(caller.organization_id);
    const one = made.get(catalog) ?? make({ ...sources, catalog });
    made.set(catalog, one);
    return one;
  }
  return {
    ...base,
    in: async (request, context) => (await translatorOf(context)).in(request, context),
    out: async (result, context) => (await translatorOf(context)).out(result, context),
  };
}
