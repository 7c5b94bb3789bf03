import type { z } from 'zod';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Scene } from './scene.ts';

/** One thing that the controller can do. */
export interface Scenario<Params = unknown> {
  name: string;
  params: z.ZodType<Params>;
  /** Answers what is told of it besides `success`. @throws {ControllerRefusal} with nothing changed. */
  play(params: Params, scene: Scene): Promise<JsonObject>;
}

/** Declares a scenario with the type of its parameters inferred, and hides that type from the list of all. */
export function scenario<Params>(one: Scenario<Params>): Scenario {
  return one;
}
