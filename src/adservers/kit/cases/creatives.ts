import { fromTimestamp } from '../../../platform/clock.ts';
import { HOUR_MS } from '../../../platform/hours.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { CannotStage, demand } from '../demand.ts';
import { nextVersion, sampleCreative, withLine } from '../sample-order.ts';
import type { Stage } from '../stage.ts';
import { statedOf } from '../stated.ts';

/** Creatives: cases 35 and 36. */
export const CREATIVE_CASES: readonly CaseDefinition[] = [
  {
    number: 35,
    name: 'a creative is uploaded once, may be rejected, or suspended later; a format that is not taken is rejected',
    needs: ['review'],
    alsoUses: ['writes'],
    async run(stage) {
      if (!stage.description.uploads_creatives) throw new CannotStage('it uploads no creatives');
      await demandUploadedOnce(stage);
      const unknown = { ...sampleCreative(stage.description, stage.terms), kind: 'kit_kind_of_nobody' };
      const refused = await stage.adServer.putCreative(unknown);
      demand(refused.verdict === 'rejected', 'P8', 'a kind that is not described to be rejected', refused);
      if (stage.description.reviews_creatives) await demandReviewed(stage);
    },
  },
  {
    number: 36,
    name: 'a creative swapped while its line delivers leaves no gap',
    needs: ['deliver'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.putDone(order);
      await stage.pass(3.5 * HOUR_MS);
      const swapped = nextVersion(order, withLine(order, 0, { creatives: [await stage.approvedCreative()] }));
      await stage.putDone(swapped);
      const { lines } = await stage.holds(swapped, 'port');
      const [line] = lines;
      demand(line?.missing.includes('creatives') === false, 'P4', 'a line that has its creative', line);
      await stage.pass(4 * HOUR_MS + stage.description.statements.delay_minutes * 60_000);
      const rows = await statedOf(stage, swapped);
      const served = new Set(
        rows.filter(({ counts }) => counts.impressions > 0).map(({ hour }) => fromTimestamp(hour)),
      );
      const [firstMs, lastMs] = [Math.min(...served), Math.max(...served)];
      demand(served.size >= 6, 'statements', 'six hours with impressions or more', rows);
      const isWhole = served.size === (lastMs - firstMs) / HOUR_MS + 1;
      demand(isWhole, 'P4', 'impressions in every hour before and after the swap', rows);
    },
  },
];

async function demandUploadedOnce(stage: Stage): Promise<void> {
  const creative = sampleCreative(stage.description, stage.terms);
  const { creative_id } = await stage.approvedCreative(creative);
  const one = await stage.adServer.putCreative(creative);
  const two = await (await stage.openAnother()).putCreative(creative);
  demand(one.verdict === 'approved' && two.verdict === 'approved', 'port', 'both approved', [one, two]);
  demand(one.native_id === two.native_id, 'P5', 'the same native creative however often it is asked', [one, two]);
  if (stage.world.writes === undefined) return;
  const made = (await stage.world.writes()).filter(
    (write) => write.kind === 'create_creative' && write.creative_id === creative_id,
  );
  demand(made.length === 1, 'P5', 'one native creative', made);
}

async function demandReviewed(stage: Stage): Promise<void> {
  const { world, adServer, description, terms } = stage;
  const bad = sampleCreative(description, terms);
  await world.review?.({ creative_id: bad.creative_id, verdict: 'rejected' });
  const rejected = await adServer.putCreative(bad);
  demand(rejected.verdict === 'rejected', 'port', 'the review’s rejection', rejected);
  const good = sampleCreative(description, terms);
  await stage.approvedCreative(good);
  await world.review?.({ creative_id: good.creative_id, verdict: 'suspended' });
  const suspended = await adServer.putCreative(good);
  demand(suspended.verdict === 'suspended', 'port', 'the suspension when it is asked again', suspended);
}
