import type { Model, Step } from './explore.ts';

/** What an order is to be: which changes it holds, each once or it is wrong, and whether it may spend. */
interface Order {
  changes: string[];
  state: 'held' | 'running' | 'paused' | 'ended';
}

type TaskKind = 'create' | 'update' | 'pause' | 'end';

interface Task {
  kind: TaskKind;
  /** `unknown`: failed, and what of it holds is not known. */
  state: 'open' | 'committed' | 'completed' | 'failed' | 'unknown' | 'canceled';
  /** A turn has begun before the end: it may still write at any later time. */
  hasTurn: boolean;
  /** A turn knows that the task was committed, and may go on by that at any later time. */
  knowsCommitted: boolean;
  /** Nothing is left to take back of what a canceled create had begun. */
  isUndone: boolean;
}

interface Buy {
  isOver: boolean;
  /** What the ad server was last heard to hold. */
  held: Order | null;
  /** The last version given out. */
  version: number;
  /** The open change; without a version while it is to be planned anew. */
  open: { task: string; version: number | null; next: Order } | null;
  stop: Stop | null;
  verdicts: [task: string, verdict: Verdict][];
}

interface Stop {
  tasks: string[];
  version: number;
  next: Order;
  /** A change or another stop was open when it came: that may have been taken, unheard. */
  overtakes: boolean;
  /** A person has given the order up. */
  givesUp: boolean;
}

type Verdict = 'done' | 'refused' | 'unknown';

interface Put {
  version: number;
  order: Order;
}

/** All that there is: rows, what the ad server holds, and what is on its way between them. */
export interface World {
  tasks: Record<string, Task>;
  buy: Buy | null;
  adServer: { version: number; order: Order | null; refused: number[] };
  puts: Put[];
  answers: { version: number; outcome: 'done' | 'refused' | 'stale' }[];
  /** What the ad server ever held, for the invariants. */
  everHeld: string[];
  everSpent: boolean;
  refusals: number;
  losses: number;
  /** What has happened of what happens once. */
  happened: { flightEnds: boolean; givesUp: boolean };
}

/** One mistake built in on purpose: the invariants must find it. */
export type Mistake =
  | 'a task is canceled though it is committed'
  | 'the ad server takes any version'
  | 'one verdict is kept'
  | 'only the last refusal is kept'
  | 'an answer counts for whatever is open'
  | 'a stop is planned over the open change'
  | 'an open change is not planned anew after a stop'
  | 'no tombstone for a canceled create'
  | 'a create commits after its first running'
  | 'a stop that is refused is always dropped'
  | 'an end that is refused is not told again'
  | 'tasks fail when their order is given up, before its end is confirmed'
  | 'tasks fail without effect when their order is given up by force'
  | 'an order that is given up by force is not ended'
  | 'an end that is refused gives the order up';

export interface Scenario {
  tasks: Partial<Record<string, TaskKind>>;
  /** Without a create among the tasks, a buy that runs since version 1. */
  mistake?: Mistake;
  /** How many versions the ad server may refuse, and how many messages may be lost. */
  refusals: number;
  losses: number;
  /** How many requests may be on their way at once. */
  puts: number;
  /** Whether pauses and ends are refused, too. */
  refusesStops?: boolean;
  /** Whether the flight may end by itself, at any time. */
  flightEnds?: boolean;
  /** Whether a person may give the order up, once; or do so by force, too. */
  givesUp?: 'once confirmed' | 'by force';
}

const RUNNING: Order = { changes: [], state: 'running' };

export function commitProtocol(scenario: Scenario): Model<World> {
  const { mistake } = scenario;
  const kinds = Object.entries(scenario.tasks).flatMap(([name, kind]) =>
    kind === undefined ? [] : [[name, kind] as const],
  );
  const hasCreate = kinds.some(([, kind]) => kind === 'create');
  const is = (candidate: Mistake): boolean => mistake === candidate;

  const initial: World = {
    tasks: Object.fromEntries(
      kinds.map(([name, kind]) => [
        name,
        { kind, state: 'open', hasTurn: false, knowsCommitted: false, isUndone: false },
      ]),
    ),
    buy: hasCreate ? null : { isOver: false, held: RUNNING, version: 1, open: null, stop: null, verdicts: [] },
    adServer: { version: hasCreate ? 0 : 1, order: hasCreate ? null : RUNNING, refused: [] },
    puts: [],
    answers: [],
    everHeld: [],
    everSpent: false,
    refusals: 0,
    losses: 0,
    happened: { flightEnds: false, givesUp: false },
  };

  function steps(world: World): Step<World>[] {
    return [
      ...Object.keys(world.tasks).flatMap((name) => taskSteps(world, name)),
      ...timeAndPersonSteps(world),
      ...courierSteps(world),
      ...adServerSteps(world),
    ];
  }

  function taskSteps(world: World, name: string): Step<World>[] {
    const task = world.tasks[name];
    if (task === undefined) return [];
    const { buy } = world;
    const found: Step<World>[] = [];
    const can = (what: string, next: World): void => void found.push({ name: `${name}: ${what}`, next });
    const verdict = buy === null ? undefined : verdictOf(buy, name);
    const isCreate = task.kind === 'create';

    if (task.state === 'open' && !task.hasTurn) can('turn begins', withTask(world, name, { hasTurn: true }));
    const mayCancel =
      task.state === 'open' || (is('a task is canceled though it is committed') && task.state === 'committed');
    if (mayCancel) can('CancelTask', withTask(world, name, { state: 'canceled' }));

    if (isCreate) {
      if (task.hasTurn && buy === null) can('buy is inserted', { ...world, buy: newBuy(name) });
      if (task.state === 'canceled' && !task.isUndone) {
        const undone = withTask(world, name, { isUndone: true });
        const tombstone = ended({ ...newBuy(name), open: null, version: 0 });
        if (buy !== null) can('undo ends the buy', { ...undone, buy: buy.isOver ? buy : ended(buy) });
        else if (is('no tombstone for a canceled create')) can('undo finds nothing', undone);
        else can('undo inserts a tombstone', { ...undone, buy: tombstone });
      }
    }
    // A create commits once its hold is answered: before that is written down, or at any time after.
    const isReady = !isCreate || isHoldAnswered(world, name) || (buy?.held?.state === 'held' && buy.open === null);
    const commitsLate = isCreate && is('a create commits after its first running');
    if (task.state === 'open' && task.hasTurn && buy !== null && isReady && !commitsLate) {
      can('commits', withTask(world, name, { state: 'committed', knowsCommitted: true }));
    }
    if (commitsLate && task.state === 'open' && verdict !== undefined)
      can('commits', withTask(world, name, { state: 'committed' }));
    const goesOn = task.knowsCommitted || (commitsLate && task.hasTurn);
    if (goesOn && buy !== null && verdict === undefined) {
      const opened = openFor(buy, name, task.kind);
      if (opened !== undefined) can('opens its change', { ...world, buy: opened });
    }
    if (task.state === 'committed' && verdict !== undefined) {
      can(`ends by its verdict`, withTask(world, name, { state: END_BY[verdict] }));
    }
    if (isCreate && task.state === 'open' && (verdict === 'refused' || verdict === 'unknown'))
      can('fails: held was refused, or given up', withTask(world, name, { state: END_BY[verdict] }));
    const endsWithout =
      task.state === 'committed' && buy !== null && buy.isOver && verdict === undefined && !hasPart(buy, name);
    if (endsWithout) can('finds the buy over', { ...world, buy: withVerdicts(buy, [name], 'refused') });
    return found;
  }

  /** The end of the flight; a person who gives an order up that waits, with force or not; a look that finds nothing there. */
  function timeAndPersonSteps(world: World): Step<World>[] {
    const { buy, adServer, happened } = world;
    if (buy === null) return [];
    const found: Step<World>[] = [];
    if (scenario.flightEnds === true && !happened.flightEnds && buy.held !== null && !buy.isOver)
      found.push({
        name: 'the flight ends',
        next: { ...world, buy: ended(buy), happened: { ...happened, flightEnds: true } },
      });
    if (scenario.givesUp === undefined) return found;
    if (!happened.givesUp && (buy.open !== null || buy.stop !== null)) {
      const { isOver } = buy;
      const asked = ended(buy);
      const givenUp: Buy = { ...asked, isOver, stop: asked.stop && { ...asked.stop, givesUp: true } };
      const isEarly = is('tasks fail when their order is given up, before its end is confirmed');
      const next = isEarly ? withoutWaiting(givenUp, 'refused') : givenUp;
      found.push({
        name: 'a person gives up',
        next: { ...world, buy: next, happened: { ...happened, givesUp: true } },
      });
    }
    if (buy.stop?.givesUp === true && isWaitedFor(buy)) {
      if (adServer.order === null)
        found.push({ name: 'a look finds nothing', next: { ...world, buy: withoutWaiting(buy, 'refused') } });
      if (scenario.givesUp === 'by force') {
        const isSaidKnown = is('tasks fail without effect when their order is given up by force');
        const over = withoutWaiting(buy, isSaidKnown ? 'refused' : 'unknown');
        const isLeft = is('an order that is given up by force is not ended');
        found.push({ name: 'by force', next: { ...world, buy: isLeft ? { ...over, stop: null } : over } });
      }
    }
    return found;
  }

  /** The buy that was given up, over, with a verdict for all who wait, while its end goes on being told. */
  function withoutWaiting(buy: Buy, verdict: Verdict): Buy {
    const tasks = [...(buy.open === null ? [] : [buy.open.task]), ...(buy.stop?.tasks ?? [])];
    const over = { ...buy, isOver: true, open: null, stop: buy.stop && { ...buy.stop, tasks: [] } };
    return withVerdicts(over, tasks, verdict);
  }

  /** The buy with this task's change open, if it may be opened now. */
  function openFor(buy: Buy, name: string, kind: TaskKind): Buy | undefined {
    if (buy.isOver || hasPart(buy, name)) return undefined;
    const version = buy.version + 1;
    if (kind === 'pause' || kind === 'end') {
      const over = is('a stop is planned over the open change') ? (buy.open?.next ?? buy.held) : buy.held;
      if (over === null) return undefined;
      const next = stopped(buy.stop?.next ?? over, kind, name);
      const open =
        buy.open === null || is('an open change is not planned anew after a stop')
          ? buy.open
          : { ...buy.open, version: null };
      const tasks = [...(buy.stop?.tasks ?? []), name];
      return { ...buy, version, open, stop: { ...stopOver(buy), tasks, version, next } };
    }
    if (buy.open !== null || buy.stop !== null || buy.held === null) return undefined;
    return { ...buy, version, open: { task: name, version, next: planned(buy.held, name, kind) } };
  }

  /** Sends what the row says, as often as it likes; takes answers in, in any order; plans anew what a stop has pushed aside. */
  function courierSteps(world: World): Step<World>[] {
    const { buy, puts } = world;
    const found: Step<World>[] = [];
    if (buy !== null) {
      const due = buy.stop ?? buy.open;
      if (
        due !== null &&
        due.version !== null &&
        puts.length < scenario.puts &&
        !puts.some((put) => put.version === due.version)
      ) {
        found.push({
          name: `put ${due.version} is sent`,
          next: { ...world, puts: [...puts, { version: due.version, order: due.next }] },
        });
      }
      if (buy.open?.version === null && buy.stop === null) {
        const { task } = buy.open;
        const version = buy.version + 1;
        const kind = world.tasks[task]?.kind ?? 'update';
        const next: Order = buy.held === null ? { changes: [], state: 'held' } : planned(buy.held, task, kind);
        found.push({
          name: `${task} is planned anew`,
          next: { ...world, buy: { ...buy, version, open: { task, version, next } } },
        });
      }
    }
    world.answers.forEach((answer, place) => {
      const answers = world.answers.filter((_, each) => each !== place);
      const heard = buy === null ? buy : afterAnswer(buy, answer);
      found.push({ name: `${answer.outcome} of ${answer.version} is heard`, next: { ...world, answers, buy: heard } });
      if (world.losses < scenario.losses) {
        found.push({ name: `an answer is lost`, next: { ...world, answers, losses: world.losses + 1 } });
      }
    });
    return found;
  }

  function afterAnswer(buy: Buy, { version, outcome }: World['answers'][number]): Buy {
    if (outcome === 'stale') return buy;
    const isStop = buy.stop?.version === version;
    if (buy.stop !== null && isStop) {
      const { tasks, next } = buy.stop;
      if (outcome === 'refused') return afterRefusedStop(buy, buy.stop);
      const told = withVerdicts({ ...buy, held: next, stop: null }, tasks, 'done');
      if (next.state !== 'ended') return told;
      const over = { ...told, isOver: true, open: null };
      return buy.open === null ? over : withVerdicts(over, [buy.open.task], 'refused');
    }
    const { open } = buy;
    if (open === null) return buy;
    if (open.version !== version && !is('an answer counts for whatever is open')) return buy;
    const isHold = initial.tasks[open.task]?.kind === 'create' && !open.next.changes.includes(open.task);
    if (isHold) {
      if (outcome === 'done') return { ...buy, held: open.next, open: null };
      return withVerdicts({ ...buy, isOver: true, open: null }, [open.task], 'refused');
    }
    if (outcome === 'done') return withVerdicts({ ...buy, held: open.next, open: null }, [open.task], 'done');
    const refused = withVerdicts({ ...buy, open: null }, [open.task], 'refused');
    // A create that may not run gives back what was held for it.
    return initial.tasks[open.task]?.kind === 'create' ? ended(refused) : refused;
  }

  /**
   * Its tasks are told so. But where a change or another stop was open when it came, what holds is not known; and what is over
   * is to end: then it is told again.
   */
  function afterRefusedStop(buy: Buy, stop: Stop): Buy {
    const { tasks, givesUp, overtakes } = stop;
    const free = withVerdicts({ ...buy, stop: null }, tasks, 'refused');
    if (givesUp && is('an end that is refused gives the order up')) return withoutWaiting(buy, 'refused');
    if (buy.isOver ? is('an end that is refused is not told again') : !overtakes) return free;
    if (is('a stop that is refused is always dropped')) return free;
    const version = buy.version + 1;
    return { ...buy, version, stop: { ...stop, version } };
  }

  function withVerdicts(buy: Buy, tasks: readonly string[], verdict: Verdict): Buy {
    const isDropped = (old: Verdict) =>
      is('one verdict is kept') || (is('only the last refusal is kept') && verdict === 'refused' && old === verdict);
    const kept = buy.verdicts.filter(([, old]) => !isDropped(old));
    return { ...buy, verdicts: [...kept, ...tasks.map((task): [string, Verdict] => [task, verdict])].sort() };
  }

  function adServerSteps(world: World): Step<World>[] {
    const { adServer, puts } = world;
    return puts.flatMap((put, place): Step<World>[] => {
      const rest = puts.filter((_, each) => each !== place);
      const answered = (outcome: 'done' | 'refused' | 'stale', changes: Partial<World> = {}): Step<World> => ({
        name: `put ${put.version} is ${outcome}`,
        next: {
          ...world,
          puts: rest,
          ...changes,
          answers: withAnswer(world.answers, { version: put.version, outcome }),
        },
      });
      const lost: Step<World>[] =
        world.losses < scenario.losses
          ? [{ name: `put ${put.version} is lost`, next: { ...world, puts: rest, losses: world.losses + 1 } }]
          : [];
      if (adServer.refused.includes(put.version)) return [answered('refused'), ...lost];
      const takesAny = is('the ad server takes any version');
      const highest = Math.max(adServer.version, ...adServer.refused);
      if (put.version < highest && !takesAny) return [answered('stale'), ...lost];
      if (put.version === adServer.version && !takesAny) return [answered('done'), ...lost];
      const refuse = answered('refused', {
        adServer: { ...adServer, refused: [...adServer.refused, put.version].sort() },
        refusals: world.refusals + 1,
      });
      if (adServer.order?.state === 'ended' && put.order.state !== 'ended') return [refuse, ...lost];
      const isStop = put.order.state === 'ended' || put.order.state === 'paused';
      return [
        answered('done', {
          adServer: { ...adServer, version: put.version, order: put.order },
          everHeld: [...new Set([...world.everHeld, ...put.order.changes])].sort(),
          everSpent: world.everSpent || put.order.state === 'running',
        }),
        ...(world.refusals < scenario.refusals && (!isStop || scenario.refusesStops === true) ? [refuse] : []),
        ...lost,
      ];
    });
  }

  return { initial, steps, violation: (world) => violation(world, hasCreate), isDone };
}

function isHoldAnswered({ buy, answers }: World, task: string): boolean {
  const open = buy?.open;
  if (open?.task !== task || open.next.changes.includes(task)) return false;
  return answers.some(({ version, outcome }) => version === open.version && outcome === 'done');
}

function withAnswer(answers: World['answers'], answer: World['answers'][number]): World['answers'] {
  const isThere = answers.some(({ version, outcome }) => version === answer.version && outcome === answer.outcome);
  return isThere
    ? answers
    : [...answers, answer].sort((a, b) => a.version - b.version || a.outcome.localeCompare(b.outcome));
}

function withTask(world: World, name: string, changes: Partial<Task>): World {
  const task = world.tasks[name];
  return task === undefined ? world : { ...world, tasks: { ...world.tasks, [name]: { ...task, ...changes } } };
}

function newBuy(task: string): Buy {
  const next: Order = { changes: [], state: 'held' };
  return { isOver: false, held: null, version: 1, open: { task, version: 1, next }, stop: null, verdicts: [] };
}

/** The buy with its end as a stop: it takes the next version at once, over whatever is open. */
function ended(buy: Buy): Buy {
  const version = buy.version + 1;
  const changes = (buy.stop?.next ?? buy.held)?.changes ?? [];
  const next = { changes, state: 'ended' as const };
  const stop = { ...stopOver(buy), version, next };
  return { ...buy, isOver: true, version, stop, open: buy.open === null ? null : { ...buy.open, version: null } };
}

/** What a stop has of what is open when it comes. */
function stopOver({ open, stop }: Buy): Pick<Stop, 'tasks' | 'overtakes' | 'givesUp'> {
  return { tasks: stop?.tasks ?? [], overtakes: open !== null || stop !== null, givesUp: stop?.givesUp === true };
}

function planned(held: Order, task: string, kind: TaskKind): Order {
  return {
    changes: [...held.changes, task].sort(),
    state: kind === 'create' && held.state === 'held' ? 'running' : held.state,
  };
}

function stopped(over: Order, kind: 'pause' | 'end', task: string): Order {
  const state = kind === 'end' || over.state === 'ended' ? 'ended' : 'paused';
  return { changes: [...over.changes, task].sort(), state };
}

function hasPart(buy: Buy, task: string): boolean {
  return buy.open?.task === task || buy.stop?.tasks.includes(task) === true;
}

/** Whether a task waits for what is open, or the buy is not over yet. */
function isWaitedFor({ isOver, open, stop }: Buy): boolean {
  return !isOver || open !== null || (stop?.tasks.length ?? 0) > 0;
}

const END_BY = { done: 'completed', refused: 'failed', unknown: 'unknown' } as const;

function verdictOf(buy: Buy, task: string): Verdict | undefined {
  return buy.verdicts.find(([of]) => of === task)?.[1];
}

function violation(
  { tasks, buy, adServer, everHeld, everSpent, puts, answers }: World,
  hasCreate: boolean,
): string | undefined {
  const holds = (name: string): number => adServer.order?.changes.filter((change) => change === name).length ?? 0;
  for (const [name, { state, kind }] of Object.entries(tasks)) {
    if (holds(name) > 1) return `${name} holds twice`;
    if (state === 'canceled' && everHeld.includes(name)) return `${name} was canceled, and took effect`;
    if (state === 'completed' && holds(name) === 0) return `${name} is completed, and the ad server does not hold it`;
    if (state === 'failed' && holds(name) > 0) return `${name} has failed, and the ad server holds it`;
    if (kind === 'create' && state === 'canceled' && everSpent) return `${name} was canceled, and ran`;
  }
  if (
    hasCreate &&
    everSpent &&
    Object.values(tasks).every(({ kind, state }) => kind !== 'create' || state === 'canceled')
  ) {
    return 'a canceled create spent';
  }
  const isQuiet = puts.length === 0 && answers.length === 0 && buy !== null && buy.open === null && buy.stop === null;
  if (isQuiet && buy.isOver && adServer.order !== null && adServer.order.state !== 'ended')
    return 'the buy is over, and the ad server has not ended it';
  if (isQuiet && buy.held !== null && JSON.stringify(buy.held) !== JSON.stringify(adServer.order)) {
    return 'nothing is open, and buy and ad server differ';
  }
  const isUndone = Object.values(tasks).some(
    ({ kind, state, isUndone: done }) => kind === 'create' && state === 'canceled' && done,
  );
  if (isUndone && isQuiet && adServer.order !== null && adServer.order.state !== 'ended')
    return 'a canceled create still holds';
  return undefined;
}

function isDone({ tasks, buy, adServer }: World): boolean {
  if (Object.values(tasks).some(({ state }) => state === 'open' || state === 'committed')) return false;
  if (Object.values(tasks).some(({ kind, state, isUndone }) => kind === 'create' && state === 'canceled' && !isUndone))
    return false;
  if (buy === null) return Object.values(tasks).every(({ hasTurn }) => !hasTurn) || adServer.order === null;
  return buy.open === null && buy.stop === null;
}
