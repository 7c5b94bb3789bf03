import { Command } from 'commander';
import { ConfigError } from '../config/config-error.ts';

/** What each program is that runs until it is stopped; `bin/entry-of.mjs` starts them by their names alone. */
const PROGRAMS = {
  start: 'Run server and worker in one process until it is stopped, on embedded defaults where no URL is set.',
  server: 'Run a server until it is stopped: A2A, the registry, the operator API and the console.',
  worker: 'Run a worker until it is stopped: tasks, webhooks and what is due by the clock.',
};

/** `start`, `server`, `worker` and `listen` as the help shows them; the settings of the former are in the environment, and they take no argument. `name`: what is typed before a command here. */
export function programCommands(name: string): Command[] {
  const listen = new Command('listen')
    .description('Receive webhooks as a buyer until it is stopped, and print each event whose signature is verified.')
    .option('--port <port>', 'default: 8090; 0 for a free one')
    .option('--agent <url>', 'who sends; default: the agent that runs on DATA_DIR, else http://127.0.0.1:8080');
  const programs = Object.entries(PROGRAMS).map(([name, description]) => new Command(name).description(description));
  for (const program of [...programs, listen]) {
    program.action(() => {
      throw new ConfigError([
        `${program.name()} is a process of its own, and takes no argument: ${name} ${program.name()}`,
      ]);
    });
  }
  return [...programs, listen];
}
