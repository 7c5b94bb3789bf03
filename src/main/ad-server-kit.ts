import { runKitCommand } from './kit-command.ts';

const { stdout, stderr } = process;
process.exitCode = await runKitCommand(process.argv.slice(2), {
  write: (text) => stdout.write(text),
  writeError: (text) => stderr.write(text),
});
