/** One thing that may happen in a state: its name, for traces, and the state after it. */
export interface Step<State> {
  name: string;
  next: State;
}

export interface Model<State> {
  initial: State;
  /** Everything that may happen next, in any order; none means that nothing ever happens again. */
  steps(state: State): Step<State>[];
  /** What is wrong in this state, in words; undefined when nothing is. */
  violation(state: State): string | undefined;
  /** Whether everything is done. Every state must have a way to one of these. */
  isDone(state: State): boolean;
}

export interface Exploration {
  states: number;
  /** The first thing found wrong, by the shortest way to it. */
  fault?: { what: string; trace: string[] };
}

/**
 * Visits every state that can be reached, breadth first, so that a fault comes with a shortest trace. Then looks whether
 * each state can still come to an end.
 * @param maxStates throws above this: the model is too large to be checked whole.
 */
export function explore<State>(model: Model<State>, maxStates = 400_000): Exploration {
  const known = new Map<string, number>();
  const visited: { from: number; by: string; isDone: boolean }[] = [];
  const before: number[][] = [];
  const queue: State[] = [];

  const visit = (state: State, from: number, by: string): number => {
    const key = JSON.stringify(state);
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    if (visited.length >= maxStates) throw new RangeError(`over ${maxStates} states`);
    known.set(key, visited.length);
    queue.push(state);
    before.push([]);
    return visited.push({ from, by, isDone: model.isDone(state) }) - 1;
  };
  const traceTo = (index: number): string[] => {
    const { from, by } = visited[index] ?? { from: -1, by: '' };
    return from === -1 ? [] : [...traceTo(from), by];
  };

  visit(model.initial, -1, '');
  for (let index = 0; index < queue.length; index++) {
    const state = queue[index] as State;
    const what = model.violation(state);
    if (what !== undefined) return { states: visited.length, fault: { what, trace: traceTo(index) } };
    for (const { name, next } of model.steps(state)) before[visit(next, index, name)]?.push(index);
  }
  const stuck = firstStuck(visited, before);
  if (stuck === undefined) return { states: visited.length };
  return { states: visited.length, fault: { what: 'no way to an end', trace: traceTo(stuck) } };
}

/** Takes these steps, by their names. Answers what is wrong in the end, or the first step that cannot be taken. */
export function follow<State>(
  model: Model<State>,
  trace: readonly string[],
): { fault: string | undefined } | { refused: string } {
  let state = model.initial;
  for (const name of trace) {
    const taken = model.steps(state).find((step) => step.name === name);
    if (taken === undefined) return { refused: name };
    state = taken.next;
  }
  return { fault: model.violation(state) };
}

/** The first state from which none that is done can be reached. */
function firstStuck(visited: readonly { isDone: boolean }[], before: readonly number[][]): number | undefined {
  const ends = visited.map(({ isDone }) => isDone);
  const queue = visited.flatMap(({ isDone }, index) => (isDone ? [index] : []));
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    for (const from of before[index] ?? []) {
      if (ends[from] === true) continue;
      ends[from] = true;
      queue.push(from);
    }
  }
  const stuck = ends.indexOf(false);
  return stuck === -1 ? undefined : stuck;
}
