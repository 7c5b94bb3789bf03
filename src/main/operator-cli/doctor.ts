import { Command } from 'commander';
import { examine, listSettings } from '../../admin/operator/doctor/operations.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

/** `doctor`: what is wrong with the installation; ends with status 1 where something is an error. */
export function doctorCommand(run: Run): Command {
  return run(new Command('doctor').description(examine.summary), {
    ask: (client) => client.call(examine, {}),
    rows: ({ findings }) => findings,
    show: ({ findings }) =>
      table(
        ['LEVEL', 'PART', 'FOUND', 'TO DO'],
        findings.map(({ level, part, found, advice }) => [level, part, found, advice ?? '']),
      ),
    isBad: ({ is_well }) => !is_well,
  });
}

/** `settings`: what the agent was told. */
export function settingsCommand(run: Run): Command {
  return settingsBy('settings', run);
}

/** `config show`: the same, where other programs' people look for it. */
export function configCommands(run: Run): Command {
  return new Command('config')
    .description('What the agent was told: its settings.')
    .addCommand(settingsBy('show', run));
}

function settingsBy(name: string, run: Run): Command {
  return run(new Command(name).description(listSettings.summary), {
    ask: (client) => client.call(listSettings, {}),
    rows: ({ settings }) => settings,
    show: ({ settings, versions }) =>
      table(
        ['SETTING', 'VALUE'],
        settings
          .filter(({ is_set }) => is_set)
          .map(({ name, value, is_secret }) => [name, is_secret ? '(secret, set)' : (value ?? '')]),
      ) +
      '\n' +
      table(['PART', 'VERSION'], Object.entries(versions)),
  });
}
