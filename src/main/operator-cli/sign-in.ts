import { Command, Option } from 'commander';
import { createLink } from '../../admin/operator/sign-in/operations.ts';
import { OPERATOR_ROLES } from '../../directory/operator/operator.ts';
import type { Run } from './session.ts';

/** `sign-in`: a new one-time link into the console. */
export function signInCommand(run: Run): Command {
  const command = new Command('sign-in')
    .description(createLink.summary)
    .option('--person <id>', 'whom it signs in; default: whose key it is made with')
    .addOption(
      new Option('--role <role>', "of a link made with the shared key, which is nobody's").choices(OPERATOR_ROLES),
    );
  return run(command, {
    ask: (client, _args, { person, role }: { person?: string; role?: string }) =>
      client.call(createLink, { body: { person_id: person, role } }),
    show: (answer) => `${answer.sign_in_url}\n`,
  });
}
