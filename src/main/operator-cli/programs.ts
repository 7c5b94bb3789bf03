import { Command } from 'commander';
import { ConfigError } from '../config/config-error.ts';

/** What each program is that runs until it is stopped; `bin/entry-of.mjs` starts them by their names alone. */
const PROGRAMS = {
  start: 'Run server and worker in one process until it is stopped, on embedded defaults where no URL is set.',
  server: 'Run a server until it is stopped: A2A, the registry, the operator API and the console.',
  worker: 'Run a worker until it is stopped: tasks, webhooks and what is due by the clock.',
};

/** `start`, `server`, `worker` as the help shows them; their settings are in the environment, and they take no argument. */
export function programCommands(): Command[] {
  return Object.entries(PROGRAMS).map(([name, description]) =>
    new Command(name).description(description).action(() => {
      throw new ConfigError([`${name} is a process of its own, and goes alone on the command line`]);
    }),
  );
}
