import type { Stage } from './stage.ts';
import type { WorldAbility } from './world.ts';

/** A case as it is written down: what it needs, and what it does once the stage is set. */
export interface CaseDefinition {
  /** Its place in the list; never given to another. */
  number: number;
  /** The guarantee that it proves. */
  name: string;
  /** Without these it is skipped. */
  needs?: readonly WorldAbility[];
  /** With these it looks more closely; without them it says so. */
  alsoUses?: readonly WorldAbility[];
  run: (stage: Stage) => Promise<void>;
}

/** A case over one ad server, ready for any test runner. */
export interface KitCase {
  number: number;
  name: string;
  needs: WorldAbility[];
  /** Of what it needs, what this world has not: then it is to be skipped by name. */
  lacks: WorldAbility[];
  /** What it could have looked at more closely, and this world has not. */
  without: WorldAbility[];
  /**
   * @throws {RuleBroken} naming the rule, what was expected and what was found.
   * @throws {CannotStage} when the case has no meaning for this ad server, such as a flat fee where none is sold.
   */
  run: () => Promise<void>;
}
