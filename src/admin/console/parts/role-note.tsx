import { mayAct } from '../../../directory/operator/operator.ts';
import type { OperatorRole } from '../../../directory/operator/operator.ts';
import type { PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';

/** Says which role it takes to do what this page is for, to those who do not have it. */
export function RoleNote({ call, role }: { call: PageCall; role: OperatorRole }): Markup {
  const { operator } = call;
  if (mayAct(operator.role, role)) return <></>;
  return (
    <p class="note">{`To change anything here takes the role ${role}; yours is ${operator.role}. Ask an admin for it.`}</p>
  );
}
