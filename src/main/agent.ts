import { agentProgram, runProgram } from './operator-cli/program.ts';

const { stdout, stderr } = process;
process.exitCode = await runProgram(
  agentProgram({ env: process.env, write: (text) => stdout.write(text) }),
  process.argv.slice(2),
  { write: (text) => stdout.write(text), writeError: (text) => stderr.write(text) },
);
