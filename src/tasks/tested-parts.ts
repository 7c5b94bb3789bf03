import type { SteeredAdServer } from '../sales/ad-server/steered-ad-server.ts';
import type { ForcedArms } from '../sales/fixture/forced-arms.ts';
import type { Fixtures } from '../sales/fixture/fixtures.ts';

/** What is there only where tests of the public protocol are served. */
export interface TestedParts {
  steered: SteeredAdServer;
  fixtures: Fixtures;
  forcedArms: ForcedArms;
}
