import { CREATIVE_CASES } from './cases/creatives.ts';
import { CRASH_CASES } from './cases/crashes.ts';
import { FAULT_CASES } from './cases/faults.ts';
import { MONEY_CASES } from './cases/money.ts';
import { OUTAGE_CASES } from './cases/outage.ts';
import { SIZE_CASES } from './cases/size.ts';
import { STATEMENT_CASES } from './cases/statements.ts';
import { TARGETING_CASES } from './cases/targeting.ts';
import { TRAFFICKER_CASES } from './cases/trafficker.ts';
import { VERSION_CASES } from './cases/versions.ts';
import { WAITING_CASES } from './cases/waiting.ts';
import type { KitCase } from './kit-case.ts';
import { CannotStage } from './demand.ts';
import { setStage } from './stage.ts';
import type { KitSubject } from './stage.ts';
import type { WorldAbility } from './world.ts';

const DEFINITIONS = [
  ...VERSION_CASES,
  ...CRASH_CASES,
  ...WAITING_CASES,
  ...FAULT_CASES,
  ...OUTAGE_CASES,
  ...MONEY_CASES,
  ...TARGETING_CASES,
  ...CREATIVE_CASES,
  ...STATEMENT_CASES,
  ...TRAFFICKER_CASES,
  ...SIZE_CASES,
];

/**
 * What the `AdServer` port asks of whoever fills it: forty cases in their order, for any test runner. Each makes orders of its own under
 * new ids, so they may run over a live ad server, one after another: never two at once, since they share one world.
 */
export function adServerContract(subject: KitSubject): KitCase[] {
  const { world = {}, clock } = subject;
  const has = (ability: WorldAbility) =>
    world[ability] !== undefined || (ability === 'deliver' && clock?.advance !== undefined);
  return DEFINITIONS.map(({ number, name, needs = [], alsoUses = [], run }) => {
    const lacks = needs.filter((ability) => !has(ability));
    return {
      number,
      name,
      needs: [...needs],
      lacks,
      without: alsoUses.filter((ability) => !has(ability)),
      async run() {
        if (lacks.length > 0) throw new CannotStage(`the world has no ${lacks.join(', ')}`);
        await world.calm?.();
        try {
          await run(await setStage(subject));
        } finally {
          await world.calm?.();
        }
      },
    };
  });
}
