// Which program a command line is for, in a checkout and in the package. Plain JavaScript without dependencies.

/** Programs that run until they are stopped; everything else is the command line. */
const PROGRAMS = ['start', 'server', 'worker'];

/**
 * What `media-buy-agent …` runs: a program by its name alone, else the command line, which also tells how the former are used.
 * @param {readonly string[]} args behind the command
 * @returns {{ name: string, args: readonly string[] }} an entry of src/main, and what it is given
 */
export function entryOf(args) {
  const [first = '', ...others] = args;
  if (PROGRAMS.includes(first) && others.length === 0) return { name: first, args: [] };
  const wantsHelp = others.some((one) => one === '--help' || one === '-h');
  return first === 'listen' && !wantsHelp ? { name: 'receiver', args: others } : { name: 'agent', args };
}
