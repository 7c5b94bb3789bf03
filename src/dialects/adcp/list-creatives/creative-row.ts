import type { JsonObject } from '../../../platform/json-object.ts';
import type { CreativeView } from '../../../sales/creative/creative-view.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import type { FormatId } from '../../../sales/format/format.ts';
import { canonicalName } from '../formats/format-options.ts';
import type { Release } from '../release.ts';
import { publicCreativeStatus } from '../statuses.ts';
import { assetsTold } from './assets-told.ts';
import { assignmentsTold } from './assignments-told.ts';
import type { AssignedDates, AssignmentsWanted } from './assignments-told.ts';
import { toldBesides } from './told-besides.ts';
import type { Besides } from './told-besides.ts';

/** What creatives are told with. */
interface Showing {
  catalog: Catalog;
  release: Release;
  accounts: ReadonlyMap<string, JsonObject>;
  assignments: AssignmentsWanted;
  assignedBy: AssignedDates;
  besides: readonly Besides[];
}

/** A creative in public words. Pure. */
export function creativeRow(creative: CreativeView, showing: Showing): JsonObject {
  const { catalog, release } = showing;
  const account = showing.accounts.get(creative.account_id ?? '');
  const { creative_id, name, format_id, status, tags, created_date, updated_date, said = {} } = creative;
  return {
    ...{ creative_id, name, ...formatTold(format_id, catalog, release), created_date, updated_date, tags },
    status: publicCreativeStatus(status, release),
    ...(account && { account }),
    ...said,
    assets: assetsTold(creative, catalog),
    ...assignmentsTold(creative, showing.assignments, showing.assignedBy),
    ...toldBesides(showing.besides),
  };
}

/** From 3.2 on by its canonical name; by its id where it has none, or is no longer in the catalog. */
function formatTold(format_id: FormatId, catalog: Catalog, release: Release): JsonObject {
  const named = release === '3.2' ? canonicalName(format_id, catalog, release) : undefined;
  return named ?? { format_id };
}
