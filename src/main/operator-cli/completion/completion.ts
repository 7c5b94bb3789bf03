import { Argument, Command } from 'commander';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { commandPlaces } from './places.ts';
import type { CommandPlace } from './places.ts';
import { zshCompletion } from './zsh.ts';

/** What the package's command is called; `npm run agent --` cannot be completed. */
const COMPLETED = 'media-buy-agent';

const SHELLS: Readonly<Record<string, (name: string, places: readonly CommandPlace[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `completion SHELL`: a script by which a shell completes what is typed. Talks to no agent. */
export function completionCommand(write: (text: string) => void, program: () => Command): Command {
  return new Command('completion')
    .description('Print a script by which a shell completes commands, options and their values.')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .addHelpText('after', `\nFor bash, in ~/.bashrc: source <(${COMPLETED} completion bash)`)
    .action((shell: string) => {
      write(SHELLS[shell]?.(COMPLETED, commandPlaces(program())) ?? '');
    });
}
