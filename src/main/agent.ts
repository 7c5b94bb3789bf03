import { runProgram } from './operator-cli/program.ts';
import { closeNewFiles } from './process/data-dir.ts';

closeNewFiles();
const { env, stdout, stderr } = process;
const terminal = {
  env,
  write: (text: string) => stdout.write(text),
  writeError: (text: string) => stderr.write(text),
};
process.exitCode = await runProgram(terminal, process.argv.slice(2));
