import type { Command, Option } from 'commander';

/** What may be typed at one place of the command line: behind these words. */
export interface CommandPlace {
  /** The commands so far, without the program's name. */
  words: readonly string[];
  commands: readonly Candidate[];
  options: readonly Flag[];
  /** What its first argument is one of; empty: anything. */
  choices: readonly string[];
}

interface Candidate {
  name: string;
  description: string;
}

interface Flag extends Candidate {
  takesValue: boolean;
  /** What its value is one of; empty: anything, or a file. */
  choices: readonly string[];
}

/** Every place there is, from the one tree of commands. */
export function commandPlaces(program: Command, words: readonly string[] = []): CommandPlace[] {
  const own = {
    words,
    commands: program.commands.map((one) => ({ name: one.name(), description: sentenceOf(one.description()) })),
    options: [...program.options.map(flagOf), HELP],
    choices: program.registeredArguments[0]?.argChoices ?? [],
  };
  return [own, ...program.commands.flatMap((one) => commandPlaces(one, [...words, one.name()]))];
}

const HELP: Flag = { name: '--help', description: 'display help for command', takesValue: false, choices: [] };

function flagOf({ long, short, description, required, optional, argChoices }: Option): Flag {
  const takesValue = required || optional;
  return { name: long ?? short ?? '', description: sentenceOf(description), takesValue, choices: argChoices ?? [] };
}

/** The first sentence: what fits beside a word. */
function sentenceOf(description: string): string {
  return description.replace(/[.;] [^]*$|\.$/, '');
}
