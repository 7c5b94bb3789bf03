import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { format, resolveConfig } from 'prettier';
import { agentProgram } from '../src/main/operator-cli/program.ts';
import { projectRoot } from '../test/support/project-files.ts';
import { WHERE_NPX_FINDS_IT } from '../src/webhooks/delivery/verify-commands.ts';

export const CLI_FILE = join(projectRoot, 'docs', 'cli.md');

const HEAD = `# The command line

\`npm run agent -- …\` in a checkout, and \`npx media-buy-agent …\`: the same commands, and \`start\`, \`server\` and \`worker\` beside them.
${WHERE_NPX_FINDS_IT}
Written by \`npx tsx scripts/write-cli.ts\` from the commands themselves, as \`--help\` prints them at 80 columns.

Commands that do something with an agent talk to the operator API of the one that runs on \`DATA_DIR\`, or of \`--url\` with \`--key\`
(\`docs/operator.md\`). \`call\`, \`card\` and \`verify\` are for buyers, and work with anybody's agent: a key goes to the origin of \`--to\` and to
no other. \`--json\` prints the answer as one line, as the API gave it. A list is had as \`--output table|json|csv|ndjson\`, too: of the latter two,
standard output has its rows alone, and standard error says where the next page is. \`source <(media-buy-agent completion bash)\` in a
\`~/.bashrc\` completes commands, options and their values; zsh and fish have the like.

| exit status | when |
| ----------- | ---- |
| 0 | done; a call: its task has completed, or runs and was not to be followed |
| 1 | refused or failed; a card with problems, a webhook that does not verify |
| 2 | wrong usage, or a wrong setting |
| 3 | the agent does not answer |

`;

/** The text that the file should have. */
export async function cliText(): Promise<string> {
  const nothing = () => undefined;
  const program = agentProgram({ name: 'media-buy-agent', env: {}, write: nothing, writeError: nothing });
  const text = HEAD + allOf(program).map(sectionOf).join('\n');
  return format(text, { ...(await resolveConfig(CLI_FILE)), parser: 'markdown' });
}

function sectionOf(command: Command): string {
  return `## ${pathOf(command)}\n\n\`\`\`text\n${helpOf(command)}\`\`\`\n`;
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ ...command.configureOutput(), writeOut: (part) => void (text += part) }).outputHelp();
  return text;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = await cliText();
  if (!process.argv.includes('--check')) await writeFile(CLI_FILE, text);
  else if (text !== (await readFile(CLI_FILE, 'utf8').catch(() => ''))) {
    console.error('docs/cli.md is stale: run npx tsx scripts/write-cli.ts');
    process.exitCode = 1;
  }
}
