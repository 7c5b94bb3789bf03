import { basename } from 'node:path';
import { runProgram } from './operator-cli/run-program.ts';
import { closeNewFiles } from './process/data-dir.ts';

closeNewFiles();
const { argv, env, stdout, stderr } = process;
const terminal = {
  // As it was started: by this file, or by the package's command.
  ...(/^agent\.\w+$/.test(basename(argv[1] ?? '')) ? {} : { name: 'media-buy-agent' }),
  ...(stdout.isTTY && { columns: stdout.columns }),
  env,
  write: (text: string) => stdout.write(text),
  writeError: (text: string) => stderr.write(text),
};
process.exitCode = await runProgram(terminal, argv.slice(2));
