import { parseArgs } from 'node:util';
import { seededChance } from '../../../support/chance.ts';
import { playOutage } from './outage-story.ts';

const HELP = `usage: npm run ad-server:outage -- [--minutes 10] [--kill-every 5] [--flush] [--store sqlite|mongodb]

Plays a buyer's changes while the ad server's process is dead for so many minutes, on a throw-away installation, and prints what
became of them; ends with 1 when anything is not as it would be without the outage.
--kill-every  seconds between kills of one of the two workers, until all has come out; default: none is killed
--flush       Redis forgets everything twice meanwhile
--store       mongodb takes a database of its own in MONGODB_TEST_URL; default: sqlite
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'kill-every': { type: 'string' },
    flush: { type: 'boolean', default: false },
    store: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean', default: false },
  },
});
const { 'kill-every': killEvery, flush, store } = values;
if (values.help || (store !== 'sqlite' && store !== 'mongodb')) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const beganAt = Date.now();
const figures = await playOutage({
  ...{ store, flush, chance: seededChance('outage'), fates: [[], []] },
  awayMs: Number(values.minutes) * 60_000,
  ...(killEvery !== undefined && { killEveryMs: Number(killEvery) * 1000 }),
  say: (what) => {
    console.log(`${Math.round((Date.now() - beganAt) / 1000)} s: ${what}`);
  },
});
console.log();
for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(48)} ${value}`);
