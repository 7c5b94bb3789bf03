import type { TaskExample } from '../../runtime/task-definition.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { exampleCreative } from '../../sales/creative/example-creative.ts';

/** Examples that work when pasted: the catalog's first formats, each with a creative that fits. */
export function syncCreativesExamples(catalog: Catalog): TaskExample[] {
  const formats = [...catalog.formats.values()].slice(0, 2);
  const creatives = formats.map((format, i) =>
    exampleCreative(format, `acme-trail-${i + 1}`, `Acme trail shoes, ${format.name}`),
  );
  return [
    { title: 'Two creatives', input: { creatives } },
    { title: 'A look at what a sync would do', input: { creatives: creatives.slice(0, 1), dry_run: true } },
  ];
}
