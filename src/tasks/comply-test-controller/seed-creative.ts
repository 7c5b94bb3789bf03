import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { Identifier } from '../../sales/catalog-values.ts';
import { creativeKey } from '../../sales/creative/creative.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import { formatKey } from '../../sales/format/format.ts';
import { fixtureFormat, fixtureFormatId } from './fixture-format.ts';
import { forcedCreative } from './force-creative.ts';
import { asTransitionRefusal, ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';

/** Puts a creative without assets into the library of the caller's organization, where it has none of this id. */
export const seedCreative = scenario({
  name: 'seed_creative',
  params: z.looseObject({
    creative_id: z.string().min(1).max(256),
    fixture: z
      .looseObject({
        name: z.string().min(1).max(200).optional(),
        status: z.enum(['pending_review', 'approved', 'rejected']).default('approved'),
        format_id: z.looseObject({ id: Identifier, agent_url: z.url().max(2048).optional() }).optional(),
      })
      .prefault({}),
  }),
  async play({ creative_id, fixture: { name = creative_id, status, format_id: asked } }, scene) {
    const { creatives, caller, clock, tested } = scene;
    const { organization_id } = caller;
    const catalog = await tested.fixtures.catalogOf(organization_id);
    const [first] = catalog.formats.values();
    const named = asked ?? first?.format_id;
    if (named === undefined) throw new ControllerRefusal('INVALID_STATE', 'the catalog has no format');
    const format = fixtureFormat(catalog, fixtureFormatId(catalog, named));
    if (!catalog.formats.has(formatKey(format.format_id))) {
      await tested.fixtures.change(organization_id, (row) => ({ ...row, formats: [...row.formats, format] }));
    }
    const at = toTimestamp(clock.now());
    const blank: Creative = {
      creative_key: creativeKey(organization_id, creative_id),
      ...{ organization_id, creative_id, name, format_id: format.format_id },
      ...{ format: format.format_id.id, format_type: format.type },
      ...{ assets: {}, tags: [], status: 'processing', status_reason: null, reason_code: null, version: 1 },
      ...{ submitted_at: at, review_due_at: null, effects_due_at: null, history: [] },
      ...{ created_at: at, updated_at: at, revision: 1 },
    };
    const { inserted } = await creatives.insert(forcedCreative(blank, status, { at, note: null }) ?? blank);
    if (!inserted) {
      await creatives
        .update(blank.creative_key, (row) => forcedCreative(row, status, { at, note: null }))
        .catch((error: unknown) => asTransitionRefusal(error));
    }
    return { message: `the creative ${creative_id} is ${status}` };
  },
});
